//! `unmask classify`.

use super::reading::Reading;
use super::terminal::Terminal;
use super::{Format, print, print_json};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};
use unmask::classifier::{C45, DecisionTree, Evaluation};
use unmask::dataset::{Dataset, Role};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::report::plots;
use unmask::table::Table;
use unmask::words::quoted;

/// Trains a decision tree (C4.5) on one file and tells how often it is right on others.
///
/// What a protected file still teaches: train on the release, test on original
/// records. Missing values (`?`, and `*` always) are followed by fractions;
/// records whose class is missing are left out; a label that training has not
/// seen counts as missing.
#[derive(Args)]
#[command(after_help = "Example:\n  \
    unmask classify --train adult-train --test adult-test --class salary \\\n    \
    --attributes workclass,education,marital-status,occupation,sex --tree text")]
pub struct Classify {
    /// The file to learn from, or the name of a built-in data set
    #[arg(long, value_name = "FILE")]
    train: String,

    /// A file to test on; can be given several times [default: the training file alone]
    #[arg(long, value_name = "FILE")]
    test: Vec<String>,

    /// The categorical attribute to tell
    #[arg(long, value_name = "NAME")]
    class: String,

    /// Attributes to tell it from [default: all but the class and identifiers]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Vec<String>,

    /// Confidence of pruning, above 0 and at most 0.5: the smaller, the smaller the tree
    #[arg(long, value_name = "C", default_value_t = 0.25)]
    confidence: f64,

    /// Records that at least two branches of a test must have
    #[arg(long, value_name = "N", default_value_t = 2.0)]
    minimum: f64,

    /// Keep the tree as it was grown
    #[arg(long)]
    no_pruning: bool,

    /// Draw the tree on standard output: `text` below the numbers, `svg` in their place
    #[arg(long, value_enum)]
    tree: Option<Drawing>,

    /// Draw the tree into this file instead, as SVG when it ends in .svg [default: no drawing]
    #[arg(long, value_name = "FILE")]
    tree_out: Option<PathBuf>,

    /// Replace the drawing if it exists
    #[arg(long)]
    force: bool,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    files: Reading,
}

/// How the tree is drawn.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Drawing {
    /// A line for each branch.
    Text,
    /// A picture.
    Svg,
}

/// What the command prints.
#[derive(Serialize)]
struct ClassifierSummary {
    train: String,
    class: String,
    classes: Vec<String>,
    attributes: Vec<String>,
    confidence: f64,
    minimum: f64,
    pruning: bool,
    tree_size: usize,
    leaves: usize,
    depth: usize,
    /// Of the first test file, or of the training file when there is none.
    accuracy: f64,
    accuracy_percent: f64,
    confusion_matrix: Vec<Vec<usize>>,
    /// The training file, then the test files.
    files: Vec<Evaluation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drawing: Option<String>,
}

impl Classify {
    /// Trains, tests and prints.
    pub fn run(&self) -> Result<()> {
        if let Some(path) = &self.tree_out {
            let inputs = self.files.inputs([&self.train].into_iter().chain(&self.test));
            files::check_outputs(&[path], self.force, &inputs)?;
        }
        let train = self.files.load(&self.train)?;
        let tests = self.test.iter().map(|file| self.files.load(file));
        let tests = tests.collect::<Result<Vec<_>>>()?;
        let tree = self.trained(&train)?;
        let files = std::iter::once(&train).chain(&tests);
        let evaluations = files.map(|file| tree.evaluate(file)).collect::<Result<Vec<_>>>()?;
        if let Some(path) = &self.tree_out {
            write_drawing(path, self.force, &drawn(&tree, self.drawing_of(path)))?;
        }
        let on_screen = self.tree.filter(|_| self.tree_out.is_none());
        let drawing = on_screen.map(|kind| drawn(&tree, kind));
        self.print(&tree, evaluations, drawing)
    }

    fn trained(&self, train: &Dataset) -> Result<DecisionTree> {
        let settings = C45 {
            confidence: self.confidence,
            minimum: self.minimum,
            pruning: !self.no_pruning,
            unknown: Vec::new(),
        };
        let attributes = self.attributes_of(train);
        let bar = Terminal::new();
        let tree = settings.train_weighted(train, &self.class, &attributes, None, &bar)?;
        match tree.classes() {
            [only] => {
                let problem =
                    format!("holds {} alone; there is nothing to tell apart", quoted(only));
                Err(Error::input(format!("{}: column {}", train.name(), self.class), problem))
            }
            _ => Ok(tree),
        }
    }

    fn attributes_of(&self, train: &Dataset) -> Vec<String> {
        if !self.attributes.is_empty() {
            return self.attributes.clone();
        }
        let told_from = |role: Role, name: &str| role != Role::Identifier && name != self.class;
        let attributes = train.attributes().iter().filter(|a| told_from(a.role, &a.name));
        attributes.map(|a| a.name.clone()).collect()
    }

    /// As --tree says, else as the file's extension does.
    fn drawing_of(&self, path: &Path) -> Drawing {
        let svg = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"));
        self.tree.unwrap_or(if svg { Drawing::Svg } else { Drawing::Text })
    }

    fn print(
        &self,
        tree: &DecisionTree,
        files: Vec<Evaluation>,
        drawing: Option<String>,
    ) -> Result<()> {
        match (self.format, drawing) {
            (Format::Json, drawing) => print_json(&self.summary(tree, files, drawing)),
            (Format::Text, Some(svg)) if self.tree == Some(Drawing::Svg) => print(svg.trim_end()),
            (Format::Text, drawing) => {
                print(described(tree, &self.train, &files))?;
                drawing.iter().try_for_each(|text| print(format!("\n{text}")))
            }
        }
    }

    fn summary(
        &self,
        tree: &DecisionTree,
        files: Vec<Evaluation>,
        drawing: Option<String>,
    ) -> ClassifierSummary {
        let main = files[files.len().min(2) - 1].clone();
        ClassifierSummary {
            train: self.train.clone(),
            class: tree.class().to_owned(),
            classes: tree.classes().to_vec(),
            attributes: tree.predictors().iter().map(|p| p.name.clone()).collect(),
            confidence: self.confidence,
            minimum: self.minimum,
            pruning: !self.no_pruning,
            tree_size: tree.size(),
            leaves: tree.leaves(),
            depth: tree.depth(),
            accuracy: main.accuracy,
            accuracy_percent: main.accuracy_percent,
            confusion_matrix: main.confusion_matrix,
            files,
            drawing,
        }
    }
}

fn drawn(tree: &DecisionTree, kind: Drawing) -> String {
    match kind {
        Drawing::Text => tree.to_string(),
        Drawing::Svg => plots::decision_tree(tree),
    }
}

fn write_drawing(path: &Path, force: bool, text: &str) -> Result<()> {
    files::write_file(path, force, |out| {
        writeln!(out, "{}", text.trim_end()).map_err(|e| Error::io(path, e))
    })
}

fn described(tree: &DecisionTree, train: &str, files: &[Evaluation]) -> String {
    let attributes = tree.predictors().len();
    let mut parts = vec![format!(
        "Tree for {} from {attributes} attributes of {train}: {} nodes, {} of them leaves, depth {}",
        tree.class(),
        tree.size(),
        tree.leaves(),
        tree.depth()
    )];
    let mut table = Table::new(["file", "records", "without class", "correct", "accuracy"]);
    for file in files {
        table.row([
            file.file.clone(),
            file.records.to_string(),
            file.without_class.to_string(),
            file.correct.to_string(),
            format!("{:.2}%", file.accuracy_percent),
        ]);
    }
    parts.push(table.to_string());
    parts.extend(files.iter().map(|file| confusion(tree, file)));
    parts.join("\n\n")
}

fn confusion(tree: &DecisionTree, file: &Evaluation) -> String {
    let told = tree.classes().iter().map(|class| format!("told {class}"));
    let mut table = Table::new(std::iter::once(file.file.clone()).chain(told));
    for (class, row) in tree.classes().iter().zip(&file.confusion_matrix) {
        let counts = row.iter().map(usize::to_string);
        table.row(std::iter::once(format!("is {class}")).chain(counts));
    }
    table.to_string()
}
