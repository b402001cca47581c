//! The markup of SVG: elements, one after the other.

use std::fmt::{Display, Write};

/// Attributes of an element, in the order they are written.
pub(super) type Attributes<'a> = [(&'a str, &'a dyn Display)];

/// Elements under way.
#[derive(Debug, Default)]
pub(super) struct Markup {
    body: String,
    /// What follows every tag and every text.
    end: &'static str,
}

impl Markup {
    /// Everything on one line, for a page.
    pub fn in_one_line() -> Self {
        Self::default()
    }

    /// A line for every tag and every text, for a file.
    pub fn in_lines() -> Self {
        Self { end: "\n", ..Self::default() }
    }

    /// An element without content.
    pub fn element(&mut self, name: &str, attributes: &Attributes<'_>) {
        self.tag(name, attributes, "/>");
    }

    /// An element around `text`, which is shown as it is.
    pub fn element_with(&mut self, name: &str, attributes: &Attributes<'_>, text: &str) {
        let end = self.end;
        self.tag(name, attributes, ">");
        self.push(format_args!("{}{end}</{name}>{end}", escape(text)));
    }

    /// The elements of `other` after these.
    pub fn append(&mut self, other: Self) {
        self.body.push_str(&other.body);
    }

    /// `<svg ...>` around all elements.
    pub fn finish(self, attributes: &Attributes<'_>) -> String {
        let mut whole = Self { body: String::new(), end: self.end };
        whole.tag("svg", attributes, ">");
        whole.push(format_args!("{}</svg>{}", self.body, self.end));
        whole.body
    }

    fn tag(&mut self, name: &str, attributes: &Attributes<'_>, close: &str) {
        self.push(format_args!("<{name}"));
        for (key, value) in attributes {
            self.push(format_args!(r#" {key}="{value}""#));
        }
        self.body.push_str(close);
        self.body.push_str(self.end);
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(text);
    }
}

/// `text` such that XML shows it as it is.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
