//! What a report says, before it becomes text, Markdown or a page.
//!
//! A record becomes one [`Document`]; every format shows the same words and
//! numbers because it renders the same blocks. What is only for a page (charts,
//! explanations) is left out on the terminal.

use crate::table::Table;

/// A report: a verdict and sections.
#[derive(Debug, Clone)]
pub struct Document {
    /// The title of the page.
    pub title: String,
    /// The one thing to know, in plain language.
    pub verdict: String,
    /// What kind of news that is.
    pub tone: Tone,
    /// What follows from it: lines under the verdict.
    pub consequences: Vec<String>,
    /// What to do first, shown at the top of a page.
    pub advice: Option<String>,
    /// The small print of a page's first screen: names and values.
    pub facts: Vec<(String, String)>,
    /// The sections.
    pub sections: Vec<DocumentSection>,
    /// The record the document was made from, as JSON.
    pub record: serde_json::Value,
}

/// What kind of news the verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// A threshold was kept.
    Kept,
    /// A threshold was exceeded.
    Exceeded,
    /// Something identifies people by itself.
    Unprotected,
    /// There is no threshold.
    Open,
    /// Nothing is judged.
    Plain,
}

/// A titled part of a report.
#[derive(Debug, Clone)]
pub struct DocumentSection {
    /// Its name in links.
    pub id: &'static str,
    /// Its title.
    pub title: String,
    /// What it says.
    pub blocks: Vec<DocumentBlock>,
}

/// One thing in a section.
#[derive(Debug, Clone)]
pub struct DocumentBlock {
    /// What it is.
    pub content: BlockContent,
    /// Shown on the terminal too.
    pub terminal: bool,
}

/// The kinds of things.
#[derive(Debug, Clone)]
pub enum BlockContent {
    /// A paragraph.
    Text(String),
    /// A paragraph that qualifies what was said.
    Note(String),
    /// An ordered list.
    List(Vec<String>),
    /// Names and their values.
    Facts(Vec<(String, String)>),
    /// Something to copy.
    Code(String),
    /// A table with its caption.
    Table {
        /// What the table shows.
        caption: String,
        /// The table.
        table: Table,
        /// Shown on demand: long, and a chart shows the same.
        folded: bool,
    },
    /// A chart; the table that follows it holds its data.
    Chart {
        /// An inline SVG with title and description.
        svg: String,
    },
    /// Terms and what they mean.
    Terms(Vec<(String, String)>),
}

impl DocumentSection {
    /// A section without content.
    pub fn new(id: &'static str, title: &str) -> Self {
        Self { id, title: title.to_owned(), blocks: Vec::new() }
    }

    fn add(mut self, content: BlockContent, terminal: bool) -> Self {
        self.blocks.push(DocumentBlock { content, terminal });
        self
    }

    /// Adds a paragraph, on every medium.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.add(BlockContent::Text(text.into()), true)
    }

    /// Adds a paragraph that the terminal leaves out.
    pub fn page_text(self, text: impl Into<String>) -> Self {
        self.add(BlockContent::Text(text.into()), false)
    }

    /// Adds notes, on every medium.
    pub fn notes(self, notes: impl IntoIterator<Item = String>) -> Self {
        notes.into_iter().fold(self, |section, note| section.add(BlockContent::Note(note), true))
    }

    /// Adds a list, on every medium.
    pub fn list(self, items: Vec<String>) -> Self {
        if items.is_empty() { self } else { self.add(BlockContent::List(items), true) }
    }

    /// Adds names and values that the terminal leaves out.
    pub fn facts(self, facts: Vec<(&str, String)>) -> Self {
        let owned = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.add(BlockContent::Facts(owned), false)
    }

    /// Adds something to copy that the terminal leaves out.
    pub fn code(self, code: impl Into<String>) -> Self {
        self.add(BlockContent::Code(code.into()), false)
    }

    /// Adds a table, on every medium.
    pub fn table(self, caption: &str, table: Table) -> Self {
        self.add(BlockContent::Table { caption: caption.to_owned(), table, folded: false }, true)
    }

    /// Adds a table that the terminal leaves out.
    pub fn page_table(self, caption: &str, table: Table) -> Self {
        self.add(BlockContent::Table { caption: caption.to_owned(), table, folded: false }, false)
    }

    /// Adds the data of a chart, which a page shows on demand.
    pub fn data_table(self, caption: &str, table: Table) -> Self {
        self.add(BlockContent::Table { caption: caption.to_owned(), table, folded: true }, false)
    }

    /// Adds a chart; its data must follow as a table.
    pub fn chart(self, svg: String) -> Self {
        self.add(BlockContent::Chart { svg }, false)
    }

    /// Adds terms that the terminal leaves out.
    pub fn terms(self, terms: Vec<(String, String)>) -> Self {
        self.add(BlockContent::Terms(terms), false)
    }
}
