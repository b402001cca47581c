//! A first project of a file, for a person to edit: what was found and guessed, and why.

use super::doubts;
use super::guess::{Guess, Look, ends, order_of};
use super::names::{found, words};
use super::toml_text::{array, comment, key, string};
use crate::dataset::{
    Bounds, Dataset, Decimal, FileFormat, Kind, Notation, Numeric, ReadOptions, Role, TextEncoding,
    Values,
};
use crate::error::Result;
use crate::words::{one_line, percent};
use serde::Serialize;
use std::path::Path;

/// The most labels that are written down for a person to order.
const MOST_LABELS: usize = 20;

/// And how long they are.
const LONGEST_LABEL: usize = 60;

/// What was guessed of a file.
#[derive(Debug, Clone, Serialize)]
pub struct Draft {
    /// The columns in their order.
    pub attributes: Vec<AttributeDraft>,
    #[serde(skip)]
    text: String,
}

/// What was guessed of a column.
#[derive(Debug, Clone, Serialize)]
pub struct AttributeDraft {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Why.
    pub kind_reason: String,
    /// What it is to an attacker.
    pub role: Role,
    /// Why.
    pub role_reason: String,
    /// How many different values there are.
    pub different: usize,
    /// Those as a share of the values there are.
    pub unique_share: f64,
    /// How many records have no value.
    pub missing: usize,
}

impl Draft {
    /// The draft for `dataset`, which was read from `file` with `options`. Roles that it has already
    /// are kept. Cost: O(n log n) for each column.
    pub fn of(file: &str, dataset: &Dataset, options: &ReadOptions) -> Result<Self> {
        let looks: Vec<Look<'_>> =
            dataset.attributes().iter().map(|a| Look::at(dataset, a)).collect::<Result<_>>()?;
        let mut text = head(file, dataset) + &reading(file, dataset, options);
        let mut attributes = Vec::new();
        for look in &looks {
            let attribute = AttributeDraft::of(look, &looks);
            text += &attribute.text(look);
            text += &doubts::of(look.attribute, dataset.missing_token());
            attributes.push(attribute);
        }
        text += LIMITS;
        Ok(Self { attributes, text })
    }

    /// The project as TOML with comments.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn head(file: &str, dataset: &Dataset) -> String {
    let mut text = comment(&format!(
        "What unmask should know of {}: {} records, {} columns. Commands read this file when it lies \
         beside the data, or with --project; their flags win. Kinds, roles and limits are guesses: \
         every reason stands beside its guess. Please look at each of them.",
        name_of(file),
        dataset.records(),
        dataset.attributes().len()
    ));
    let notes = dataset.notes();
    notes.told().for_each(|note| text += &comment(&format!("Found: {note}.")));
    for note in notes.warnings() {
        let note = note.replace("`missing_tokens`", "`missing`");
        text += &comment(&format!("Not decided: {note}."));
    }
    text
}

fn name_of(file: &str) -> String {
    let name = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
    one_line(&name.unwrap_or_else(|| file.to_owned()))
}

fn reading(file: &str, dataset: &Dataset, options: &ReadOptions) -> String {
    let tokens: Vec<String> =
        options.missing_tokens.iter().filter(|t| !t.is_empty()).cloned().collect();
    let mut text = "\n[reading]\n".to_owned();
    match FileFormat::of(Path::new(file)) {
        FileFormat::Csv | FileFormat::Tsv => text += &csv_reading(dataset, options),
        _ => text += "# Files of this format say themselves how they are read.\n",
    }
    text += "# What stands for a missing value, beside the empty field.\n";
    text += &format!("missing = {}\n", array(&tokens));
    if let Some(decimal) = options.decimal {
        text += &format!("decimal = {}\n", string(decimal_name(decimal)));
    }
    if let Some(format) = &options.date_format {
        text += &format!("date_format = {}\n", string(format.fields()));
    }
    text
}

fn csv_reading(dataset: &Dataset, options: &ReadOptions) -> String {
    let said = |is_said: bool| if is_said { "as you said" } else { "found in the file" };
    let encoding = options.encoding.or(dataset.found_encoding()).map(TextEncoding::name);
    format!(
        "delimiter = {} # {}\nquote = {}\nheader = {}\nencoding = {} # {}\n",
        field_character(dataset.delimiter()),
        said(options.delimiter.is_some()),
        field_character(options.quote),
        options.header,
        string(encoding.as_deref().unwrap_or("utf-8")),
        said(options.encoding.is_some()),
    )
}

fn field_character(byte: u8) -> String {
    match byte {
        b'\t' => string("tab"),
        byte => string(&char::from(byte).to_string()),
    }
}

fn decimal_name(decimal: Decimal) -> &'static str {
    match decimal {
        Decimal::Point => "point",
        Decimal::Comma => "comma",
    }
}

impl AttributeDraft {
    fn of(look: &Look<'_>, all: &[Look<'_>]) -> Self {
        let Guess { what: kind, why: kind_reason } = look.kind();
        let Guess { what: role, why: role_reason } = look.role(all);
        Self {
            name: look.attribute.name.clone(),
            kind,
            kind_reason,
            role,
            role_reason,
            different: look.different,
            unique_share: look.unique_share,
            missing: look.attribute.missing(),
        }
    }

    fn text(&self, look: &Look<'_>) -> String {
        let missing = match self.missing {
            0 => String::new(),
            count => format!("; {count} are missing"),
        };
        let mut text = format!("\n[attributes.{}]\n", key(&self.name));
        text += &comment(&format!(
            "{} different values among {} ({} unique){missing}.",
            self.different,
            look.present,
            percent(self.unique_share)
        ));
        text += &comment(&format!("{}: {}.", capital(self.kind.name()), self.kind_reason));
        text += &comment(&format!("{}: {}.", capital(self.role.name()), self.role_reason));
        look.doubt(self.role).into_iter().for_each(|doubt| text += &comment(doubt));
        text += &format!("kind = {}\n", string(self.kind.name()));
        text += &format!("role = {}\n", string(self.role.name()));
        text + &self.details(look)
    }

    /// What only columns of this kind have.
    fn details(&self, look: &Look<'_>) -> String {
        match &look.attribute.values {
            Values::Numeric(_) if self.kind == Kind::Code => self.hierarchy(),
            Values::Numeric(column) => {
                let mut text = String::new();
                if let Notation::Date(format) = &column.form().notation {
                    text += &format!("date_format = {}\n", string(format.fields()));
                }
                if let Notation::Decimal(decimal) = column.form().notation {
                    text += &format!("decimal = {}\n", string(decimal_name(decimal)));
                }
                text + &self.bounds(column) + &self.hierarchy()
            }
            Values::Categorical(column) if self.kind == Kind::Ordinal => {
                format!("order = {}\n{}", array(&order_of(column)), self.hierarchy())
            }
            Values::Categorical(column) if self.may_be_ordered(column.labels()) => {
                let order = comment(
                    "Should they have an order: kind = \"ordinal\", and, from low to high,",
                );
                format!("{order}# order = {}\n{}", array(column.labels()), self.hierarchy())
            }
            Values::Categorical(_) => self.hierarchy(),
        }
    }

    /// True for a few short labels, which nobody is known by.
    fn may_be_ordered(&self, labels: &[String]) -> bool {
        let short = labels.iter().all(|label| label.len() <= LONGEST_LABEL);
        let few = (3..=MOST_LABELS).contains(&labels.len());
        self.kind == Kind::Nominal && self.role != Role::Identifier && few && short
    }

    fn bounds(&self, column: &Numeric) -> String {
        let said = column.form().bounds;
        if said != Bounds::default() {
            return format!("bounds = {}\n", string(&String::from(said)));
        }
        if !matches!(self.role, Role::QuasiIdentifier | Role::Confidential) {
            return String::new();
        }
        let (low, high) = ends(column);
        let is_age = found(&words(&self.name), &["age"]).is_some() && high <= 130.0;
        match low >= 0.0 && !column.is_date() && low.is_finite() {
            true if is_age => "bounds = \"0..130\" # guessed: ages are\n".to_owned(),
            true => {
                "# bounds = \"0..\" # no value is below 0; should none ever be, releases keep to that\n"
                    .to_owned()
            }
            false => String::new(),
        }
    }

    /// How to say where a hierarchy is, for what is generalized.
    fn hierarchy(&self) -> String {
        match self.role {
            Role::QuasiIdentifier => {
                "# hierarchy = \"FILE\" # .csv or .toml: how its values are generalized\n"
                    .to_owned()
            }
            _ => String::new(),
        }
    }
}

const LIMITS: &str = "
[limits]
# What a release must keep. Each is judged by the command that measures it, which ends with exit
# code 3 where it is not kept. The numbers are guesses: what is enough is for your rules to say.
# `unmask audit`: the greatest share of people who may be found, 0.2 being one of five.
max_risk = 0.2
# max_certain = 0.05 # whose confidential value is certain to who finds their class
# `unmask measure`: the least number of people who look the same,
min_k = 5
# min_l = 2 # of different confidential values among them,
# max_t = 0.5 # and how far those may be from all of the file, 0 to 1.
# `unmask utility`: the greatest share of the variation between records that may be lost.
# max_information_loss = 0.3
";

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
