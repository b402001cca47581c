//! Reading the keys of this kind.

use super::attacks::{Attacks, FurtherParameters};
use super::{LinkageExperiment, Plot, SampleDesign};
use crate::dataset::Dataset;
use crate::experiment::kinds::ExperimentKind;
use crate::experiment::specification::{
    KeyTable, Problems, ProtectionCell, Publishable, ReleaseSource, cells, data_file, known_names,
    known_numeric, published, release_cell,
};
use crate::learning::SolverChoice;

/// Reads the keys of this kind.
pub(in crate::experiment) fn read(
    whole: &mut KeyTable<'_>,
    to: &Problems,
) -> Option<Box<dyn ExperimentKind>> {
    let data = read_data(whole.section("data"), to);
    let sample = read_sample(whole.section("sample"), data.as_ref(), to);
    let parameters = FurtherParameters::read(whole.section("attack_parameters"));
    let known = data.as_ref().map_or(&[][..], |data| &data.known);
    let attacks = Attacks::read(whole.take("attacks"), &parameters, known, to);
    let (solver, nodes) = read_solver(whole.section("solver"), to);
    let (protections, releases) = (whole.list("protection"), whole.list("release"));
    if protections.is_empty() && releases.is_empty() {
        to.say("protection is missing; declare at least one [[protection]] or [[release]]");
    }
    let Some(data) = data else {
        // Without the data no protection can be checked; ask for the keys all the same.
        let _ = (whole.value("published"), whole.value("plot"));
        return None;
    };
    let own = protections
        .into_iter()
        .flat_map(|section| cells(section, &data.dataset, &data.attributes, to));
    let others = releases
        .into_iter()
        .filter_map(|section| release_cell(section, &data.dataset, &data.known, to));
    let cells: Vec<ProtectionCell> = own.chain(others).collect();
    check_pairs(&cells, sample, data.dataset.records(), to);
    let names: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    let publishable =
        Publishable { cells: &names, attributes: &data.known, attacks: &attacks.further_names() };
    let published = published(whole.section("published"), &publishable, to);
    let plot = read_plot(whole.section("plot"), &cells, &data.dataset, to);
    Some(Box::new(LinkageExperiment {
        data: data.dataset,
        data_name: data.name,
        data_sha256: data.sha256,
        known: data.known,
        sample: sample?,
        attacks,
        solver,
        nodes,
        cells,
        published,
        plot: plot?,
    }))
}

/// The `[data]` part.
struct LinkageData {
    dataset: Dataset,
    name: String,
    sha256: String,
    attributes: Vec<String>,
    known: Vec<String>,
}

fn read_data(mut section: KeyTable<'_>, to: &Problems) -> Option<LinkageData> {
    let file: Option<String> = section.needed("file", "a file, or the name of a built-in one");
    let names: Option<Vec<String>> = section.take("attributes");
    let known: Option<usize> = section.take("known");
    let place = |key| format!("data.{key}");
    section.finish();
    let file = file?;
    let (dataset, sha256) = data_file(&place("file"), &file, to)?;
    let named = names.as_ref().map(Vec::len);
    let attributes = match names {
        Some(names) => known_names(&place("attributes"), &names, &dataset, to),
        None => dataset.default_numeric_attributes(),
    };
    let most = named.unwrap_or(attributes.len());
    let count = known.unwrap_or(most);
    if count == 0 || count > most {
        let problem = format!("but the attacker knows 1 to {most} attributes");
        to.add(&place("known"), count, problem);
    }
    let known = attributes.iter().take(count).cloned().collect();
    Some(LinkageData { dataset, name: file, sha256, attributes, known })
}

fn read_sample(
    mut section: KeyTable<'_>,
    data: Option<&LinkageData>,
    to: &Problems,
) -> Option<SampleDesign> {
    let records: Option<usize> = section.needed("records", "the number of records to draw");
    let runs: Option<usize> = section.needed("runs", "the number of runs of each cell");
    let quick_runs: Option<usize> = section.take("quick_runs");
    let held_out: Option<usize> = section.take("held_out");
    let seed: Option<u64> = section.needed("seed", "a seed such as 2012");
    section.finish();
    let at_least_one = |key: &str, count: Option<usize>| {
        if count == Some(0) {
            to.add(&format!("sample.{key}"), 0, "but at least one run is needed");
        }
    };
    at_least_one("runs", runs);
    at_least_one("quick_runs", quick_runs);
    if let (Some(records), Some(data)) = (records, data) {
        let all = data.dataset.records();
        let left = all.saturating_sub(records);
        if records < 2 || records > all {
            let problem = format!("but {} allows 2 to {all}", data.dataset.name());
            to.add("sample.records", records, problem);
        } else if held_out.is_some_and(|other| other < 2 || other > left) {
            let problem =
                format!("but {left} records are left after drawing {records}; 2 are needed");
            to.add("sample.held_out", held_out.unwrap_or(0), problem);
        }
    }
    let (records, runs) = (records?, runs?);
    let quick_runs = quick_runs.unwrap_or(runs.min(2)).min(runs);
    Some(SampleDesign { records, held_out, runs, quick_runs, seed: seed? })
}

/// Notes releases that hold fewer of `all` records than are drawn.
fn check_pairs(cells: &[ProtectionCell], sample: Option<SampleDesign>, all: usize, to: &Problems) {
    let drawn = sample.map_or(0, |s| s.records + s.held_out.unwrap_or(0));
    for cell in cells {
        if let ReleaseSource::File { release, file } = &cell.source
            && release.records() < drawn.min(all)
        {
            let problem = format!(
                "holds {} of the records, but {drawn} are drawn; draw fewer in [sample]",
                release.records()
            );
            to.say(format!("release {:?}: {} {problem}", cell.name, file.name));
        }
    }
}

fn read_solver(mut section: KeyTable<'_>, to: &Problems) -> (SolverChoice, Option<u64>) {
    let name = section.take("name").unwrap_or_default();
    let nodes: Option<u64> = section.take("nodes");
    if nodes == Some(0) {
        to.add("solver.nodes", 0, "but a search needs at least one node; leave it out for none");
    }
    section.finish();
    (name, nodes)
}

fn read_plot(
    mut section: KeyTable<'_>,
    cells: &[ProtectionCell],
    data: &Dataset,
    to: &Problems,
) -> Option<Plot> {
    let kind: String = section.take("kind").unwrap_or_else(|| "rates".into());
    let plot = match kind.as_str() {
        "rates" => Some(Plot::Rates),
        "values" => {
            let attribute: Option<String> = section.needed("attribute", "the attribute to show");
            let known = attribute.iter().cloned().collect::<Vec<_>>();
            known_numeric("plot.attribute", &known, data, to);
            attribute.map(|attribute| Plot::Values { attribute })
        }
        "improvement" => {
            let highlight: Vec<String> = section.take("highlight").unwrap_or_default();
            for name in highlight.iter().filter(|n| !cells.iter().any(|c| c.protection == **n)) {
                to.add("plot.highlight", format!("{name:?}"), "but no protection has that name");
            }
            Some(Plot::Improvement { highlight })
        }
        other => {
            let problem = "but a plot shows rates, values or improvement";
            to.add("plot.kind", format!("{other:?}"), problem);
            return None;
        }
    };
    section.finish();
    plot
}
