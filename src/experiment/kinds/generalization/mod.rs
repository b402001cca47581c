//! `kind = "generalization"`: what patterns of a file still teach a classifier.
//!
//! Each cell generalizes the file by anti-unification, trains a tree on the
//! patterns and tests it on original records.

mod tables;

use super::{ExperimentCell, ExperimentKind, Job};
use crate::classifier::C45;
use crate::dataset::{Dataset, Discretization, Role};
use crate::error::Result;
use crate::experiment::record::{CellRecord, recorded, typed};
use crate::experiment::results::Findings;
use crate::experiment::specification::{DataDigest, KeyTable, Problems, data_file};
use crate::protection::generalization::{
    AntiUnification, Condition, Generalization, Unknown, Variant,
};
use crate::random::generator;
use rand::seq::index;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The names of the test files, as in the published table.
const TESTS: [&str; 3] = ["S1", "uci", "DB"];

/// Both variants, in the order of the tables.
const VARIANTS: [Variant; 2] = [Variant::Literal, Variant::Progressive];

/// One file, several sequences of conditions and several k.
#[derive(Debug)]
struct GeneralizationExperiment {
    citation: String,
    data: Dataset,
    /// The sample, the test file and the data themselves.
    tests: [Dataset; 3],
    sources: Vec<DataDigest>,
    attributes: Vec<String>,
    confidential: String,
    indifferent: usize,
    k: Vec<usize>,
    /// Published accuracy of a tree on the original records, by test file.
    original: [f64; 3],
    models: Vec<PublishedModel>,
}

/// A sequence of conditions and what was published for it, one number for each k.
#[derive(Debug)]
struct PublishedModel {
    conditions: Vec<Condition>,
    patterns: Vec<f64>,
    rest: Vec<f64>,
    /// By test file.
    accuracy: [Vec<f64>; 3],
}

/// What one variant of one cell found.
#[derive(Debug, Serialize, Deserialize)]
struct PatternCounts {
    model: usize,
    k: usize,
    variant: Variant,
    distinct: usize,
    list: u64,
    rest: usize,
    /// In percent, by test file: learned from each pattern once, and from the list.
    accuracy: [[f64; 3]; 2],
    seconds: f64,
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut KeyTable<'_>, to: &Problems) -> Option<Box<dyn ExperimentKind>> {
    let citation: Option<String> = whole.needed("citation", "where the numbers were published");
    let files = read_files(whole, to);
    let indifferent = whole.needed("indifferent", "the most indifferent values of a pattern");
    let k: Option<Vec<usize>> = whole.needed("k", "a list of smallest pattern sizes");
    let mut section = whole.section("original");
    let original = accuracies(&mut section);
    section.finish();
    let sections = whole.list("model");
    if sections.is_empty() {
        to.say("model is missing; declare at least one [[model]]");
    }
    let k = k?;
    let models: Vec<Option<PublishedModel>> =
        sections.into_iter().map(|s| read_model(s, k.len(), to)).collect();
    let (files, models) = (files?, models.into_iter().collect::<Option<_>>()?);
    let PatternData { data, tests, sources, attributes, confidential } = files;
    Some(Box::new(GeneralizationExperiment {
        citation: citation?,
        data,
        tests,
        sources,
        attributes,
        confidential,
        indifferent: indifferent?,
        k,
        original: original?,
        models,
    }))
}

/// The data and what is said about their columns.
struct PatternData {
    data: Dataset,
    tests: [Dataset; 3],
    sources: Vec<DataDigest>,
    attributes: Vec<String>,
    confidential: String,
}

fn read_files(whole: &mut KeyTable<'_>, to: &Problems) -> Option<PatternData> {
    let names = ["data", "test"].map(|key| whole.needed::<String>(key, "a file or built-in data"));
    let attributes: Option<Vec<String>> = whole.needed("attributes", "the quasi-identifiers");
    let cuts: Vec<String> = whole.take("discretize").unwrap_or_default();
    let confidential: Option<String> = whole.needed("confidential", "the class to tell");
    let size: Option<usize> = whole.needed("sample", "the size of the sample S1");
    let seed: u64 = whole.take("seed").unwrap_or(1);
    let [data, test] = names;
    let (data, test) = (data?, test?);
    let (train, sha256) = data_file("data", &data, to)?;
    let (unseen, test_sha256) = data_file("test", &test, to)?;
    let sources = vec![DataDigest::new(&data, &sha256), DataDigest::new(&test, &test_sha256)];
    let (attributes, confidential) = (attributes?, confidential?);
    let prepared = |file: Dataset| prepare(file, &cuts, &confidential, to);
    let (train, unseen) = (prepared(train)?, prepared(unseen)?);
    let size = size?;
    if size == 0 || size > train.records() {
        to.add("sample", size, format!("but {} allows 1 to {}", train.name(), train.records()));
        return None;
    }
    train.positions(&attributes).map_err(|error| to.say(error)).ok()?;
    let rows = index::sample(&mut generator(seed, 0), train.records(), size).into_vec();
    let tests = [train.select(&rows).ok()?, unseen, train.clone()];
    Some(PatternData { data: train, tests, sources, attributes, confidential })
}

/// `file` with intervals and the class marked.
fn prepare(file: Dataset, cuts: &[String], class: &str, to: &Problems) -> Option<Dataset> {
    let cut = |text: &String| match text.parse::<Discretization>() {
        Ok(cut) => Some(cut),
        Err(problem) => {
            to.add("discretize", format!("{text:?}"), problem);
            None
        }
    };
    let cuts: Vec<Discretization> = cuts.iter().map(cut).collect::<Option<_>>()?;
    let prepared = file.discretize(&cuts).and_then(|mut file| {
        file.set_role(&[class], Role::Confidential)?;
        Ok(file)
    });
    prepared.map_err(|error| to.say(error)).ok()
}

fn accuracies<T: serde::de::DeserializeOwned>(section: &mut KeyTable<'_>) -> Option<[T; 3]> {
    let [s1, uci, db] = TESTS.map(|test| section.needed(test, "published accuracy in percent"));
    Some([s1?, uci?, db?])
}

fn read_model(mut section: KeyTable<'_>, count: usize, to: &Problems) -> Option<PublishedModel> {
    let place = section.key("conditions");
    let conditions: Option<Vec<Condition>> = section.needed("conditions", "a list of < and >");
    let patterns: Option<Vec<f64>> = section.needed("patterns", "a count for each k");
    let rest: Option<Vec<f64>> = section.needed("rest", "a count for each k");
    let accuracy: Option<[Vec<f64>; 3]> = accuracies(&mut section);
    section.finish();
    let model = PublishedModel {
        conditions: conditions?,
        patterns: patterns?,
        rest: rest?,
        accuracy: accuracy?,
    };
    let published = [&model.patterns, &model.rest].into_iter().chain(&model.accuracy);
    let lengths: Vec<usize> = published.map(Vec::len).collect();
    if lengths.iter().any(|length| *length != count) {
        to.add(&place, model.name(), format!("but each list beside it needs {count} numbers"));
        return None;
    }
    Some(model)
}

impl PublishedModel {
    /// `(<,>)`.
    fn name(&self) -> String {
        let sign = |c: &Condition| if *c == Condition::Fewest { "<" } else { ">" };
        format!("({})", self.conditions.iter().map(sign).collect::<Vec<_>>().join(","))
    }
}

impl ExperimentKind for GeneralizationExperiment {
    fn data(&self) -> Vec<DataDigest> {
        self.sources.clone()
    }

    fn cells(&self, quick: bool) -> Vec<ExperimentCell> {
        let cell = |(model, k, variant)| {
            let method = self.method(model, k, variant);
            ExperimentCell {
                name: self.cell_name(model, k, variant),
                method: "anti-unification".into(),
                parameters: serde_json::to_value(method).unwrap_or_default().to_string(),
                records: self.data.records(),
                runs: 1,
            }
        };
        self.all_cells(quick).into_iter().map(cell).collect()
    }

    fn run(&self, job: Job) -> Result<serde_json::Value> {
        let (model, k, variant) = self.all_cells(job.quick)[job.cell];
        recorded(&self.measure(model, k, variant)?)
    }

    fn findings(&self, records: &[CellRecord], _quick: bool) -> Result<Findings> {
        let original = self.tested(&self.data, None)?;
        tables::findings(self, original, typed(records)?)
    }
}

impl GeneralizationExperiment {
    /// (model, k, variant) of each cell; the first k alone when it is to be quick.
    fn all_cells(&self, quick: bool) -> Vec<(usize, usize, Variant)> {
        let some = if quick { 1 } else { self.k.len() };
        let k = &self.k[..some.min(self.k.len())];
        let of_model = |m: usize| k.iter().flat_map(move |&k| VARIANTS.map(|v| (m, k, v)));
        (0..self.models.len()).flat_map(of_model).collect()
    }

    fn method(&self, model: usize, k: usize, variant: Variant) -> AntiUnification {
        AntiUnification {
            k,
            indifferent: self.indifferent,
            conditions: self.models[model].conditions.clone(),
            variant,
            unknown: Unknown::OwnValue,
        }
    }

    fn cell_name(&self, model: usize, k: usize, variant: Variant) -> String {
        let variant = tables::variant_name(variant);
        format!("{}-{k}-{variant}", self.models[model].name())
    }

    fn measure(&self, model: usize, k: usize, variant: Variant) -> Result<PatternCounts> {
        let started = Instant::now();
        let method = self.method(model, k, variant);
        let found: Generalization = method.generalize(&self.data, &self.attributes, &())?;
        let seconds = started.elapsed().as_secs_f64();
        let patterns = found.pattern_file(&self.data)?;
        let list: Vec<f64> = found.patterns.iter().map(|p| p.repetitions as f64).collect();
        Ok(PatternCounts {
            model,
            k,
            variant,
            distinct: found.summary.patterns,
            list: found.summary.patterns_with_repetitions,
            rest: found.summary.rest,
            accuracy: [self.tested(&patterns, None)?, self.tested(&patterns, Some(&list))?],
            seconds,
        })
    }

    /// Accuracy in percent, by test file, of a tree learned from `train`.
    fn tested(&self, train: &Dataset, weights: Option<&[f64]>) -> Result<[f64; 3]> {
        let class = &self.confidential;
        let tree = C45::default().train_weighted(train, class, &self.attributes, weights, &())?;
        let mut accuracy = [0.0; 3];
        for (accuracy, test) in accuracy.iter_mut().zip(&self.tests) {
            *accuracy = tree.evaluate(test)?.accuracy_percent;
        }
        Ok(accuracy)
    }
}
