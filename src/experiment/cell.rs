//! Cells: one protection with one value of its parameter.

use super::check::{Problems, Section};
use super::parameter::{Setting, settings};
use crate::dataset::Dataset;
use crate::error::Error;
use crate::protection::microaggregation::AttributeBlocks;
use crate::protection::{MethodChoice, MethodParameters, ProtectionMethod};

/// One protection with one value of its parameter: a row of a table.
pub struct Cell {
    /// `Mic2-5`: the protection's name and the parameter.
    pub name: String,
    /// The protection's name: `Mic2`.
    pub protection: String,
    /// The parameter where it is one number.
    pub parameter: Option<f64>,
    /// How the file is protected.
    pub method: Box<dyn ProtectionMethod + Send>,
    /// Positions of the protected attributes in the file, in the order of the study.
    pub positions: Vec<usize>,
}

impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} {}", self.name, self.method.name(), self.method.parameters())
    }
}

/// The cells of one `[[protection]]`; `all` are the attributes of the study.
pub fn cells(mut section: Section<'_>, data: &Dataset, all: &[usize], to: &Problems) -> Vec<Cell> {
    let name: Option<String> = section.needed("name", "a name for the table's rows");
    let method: Option<MethodChoice> = section.needed("method", &MethodChoice::all_names());
    let Some(method) = method else { return Vec::new() };
    let positions = positions(&mut section, data, all, to);
    let parameter = method.main_parameter();
    let place = section.key(parameter);
    let settings = match section.value(parameter) {
        Some(value) => settings(&place, &value, to),
        None => {
            to.say(format!(
                "{place} is missing; give a number, a list, or {{ from = 3, to = 20 }}"
            ));
            Vec::new()
        }
    };
    let groups_place = section.key("groups");
    let options = options(&mut section, method, to);
    section.finish();
    let blocks = method.blocks(&options);
    if let Err(error) = blocks.cut(&positions) {
        to.say(error.to_string().replacen("groups", &groups_place, 1));
        return Vec::new();
    }
    let cell = |setting: Setting| {
        let with = with_setting(method, &setting, options.clone(), to)?;
        check(&*with, &setting, parameter, &positions, data, to)?;
        let name = name.clone()?;
        Some(Cell {
            name: format!("{name}-{}", setting.label()),
            protection: name,
            parameter: <[f64; 1]>::try_from(setting.numbers.as_slice()).ok().map(|[one]| one),
            method: with,
            positions: positions.clone(),
        })
    };
    settings.into_iter().filter_map(cell).collect()
}

/// The protected attributes: those of the study unless the section names its own.
fn positions(
    section: &mut Section<'_>,
    data: &Dataset,
    all: &[usize],
    to: &Problems,
) -> Vec<usize> {
    let key = section.key("attributes");
    let Some(names) = section.take::<Vec<String>>("attributes") else { return all.to_vec() };
    super::specification::known_positions(&key, &names, data, to)
}

/// What a `[[protection]]` says beyond its main parameter; each method asks for its own keys.
fn options(section: &mut Section<'_>, method: MethodChoice, to: &Problems) -> MethodParameters {
    let mut options = MethodParameters::default();
    for parameter in method.parameters() {
        match *parameter {
            "groups" => options.groups = groups(section, to),
            "cluster-on" => options.cluster_on = section.take("cluster_on"),
            "tail" => options.tail = section.take("tail"),
            "gamma" => options.gamma = section.take("gamma"),
            "k" if method.main_parameter() != "k" => {
                options.k = section.take("k").map(|k: usize| vec![k]);
            }
            "sensitive" => options.sensitive = section.take("sensitive").unwrap_or_default(),
            "levels" => options.levels = section.take("levels"),
            "level-rule" => options.level_rule = section.take("level_rule"),
            "diversity" => options.diversity = section.take("diversity"),
            "optimal" => options.optimal = section.take("optimal").unwrap_or_default(),
            "refine" => {
                options.refine = section.take("refine").unwrap_or_default();
                options.refine_iterations = section.take("refine_iterations");
            }
            "noise" => options.noise = section.take("noise"),
            "swap" => options.swap = section.take("swap"),
            _ => {}
        }
    }
    options
}

fn groups(section: &mut Section<'_>, to: &Problems) -> Option<AttributeBlocks> {
    let key = section.key("groups");
    let text: String = section.take("groups")?;
    text.parse().map_err(|problem: String| to.add(&key, format!("{text:?}"), problem)).ok()
}

/// The method with `setting` as its main parameter.
fn with_setting(
    method: MethodChoice,
    setting: &Setting,
    mut options: MethodParameters,
    to: &Problems,
) -> Option<Box<dyn ProtectionMethod + Send>> {
    match method.main_parameter() {
        "p" => options.p = Some(setting.numbers.clone()),
        "l" => options.l = setting.counts(to)?.first().copied(),
        _ => options.k = Some(setting.counts(to)?),
    }
    let problem = |error: Error| to.say(format!("{}: {error}", setting.place));
    method.with_refinement(&options).map_err(problem).ok()
}

/// Notes what the method refuses, before anything runs.
fn check(
    method: &dyn ProtectionMethod,
    setting: &Setting,
    parameter: &str,
    positions: &[usize],
    data: &Dataset,
    to: &Problems,
) -> Option<()> {
    match method.check(data, positions) {
        Ok(()) => return Some(()),
        Err(Error::Parameter { name, problem, .. }) if name == parameter => {
            to.add(&setting.place, setting.shown(), problem);
        }
        Err(error) => to.say(format!("{}: {error}", setting.place)),
    }
    None
}
