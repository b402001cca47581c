//! The parts that charts for pages are drawn of.
//!
//! Colors are classes that the page's style sheet gives for light and dark; a
//! chart is 420 units wide, so that its letters can be read on a phone.

use std::fmt::Write;

/// Width of every chart.
pub(super) const WIDTH: f64 = 420.0;

/// An SVG under way.
pub(super) struct Svg {
    height: f64,
    body: String,
}

impl Svg {
    pub fn new(height: f64) -> Self {
        Self { height, body: String::new() }
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
    }

    /// A line from one point to another.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(
            r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
        ));
    }

    /// A rectangle by its upper left corner and size.
    pub fn rectangle(&mut self, class: &str, corner: (f64, f64), size: (f64, f64)) {
        let ((x, y), (width, height)) = (corner, (size.0.max(0.0), size.1.max(0.0)));
        self.push(format_args!(
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#
        ));
    }

    /// A disc.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        self.push(format_args!(
            r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}"/>"#
        ));
    }

    /// Lines through `points`.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let pairs: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!(r#"<polyline class="{class}" points="{}"/>"#, pairs.join(" ")));
    }

    /// Text at a point; `anchor` is start, middle or end.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: &str, text: &str) {
        let text = escape(text);
        self.push(format_args!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        ));
    }

    /// The whole chart, told in words to who cannot see it.
    pub fn finish(self, title: &str, description: &str) -> String {
        let (title, description) = (escape(title), escape(description));
        format!(
            r#"<svg viewBox="0 0 {WIDTH} {:.0}" role="img" aria-label="{title}"><title>{title}</title><desc>{description}</desc>{}</svg>"#,
            self.height, self.body
        )
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

/// `label` cut to `columns`, a letter of a wide script counting two.
pub(super) fn shortened(label: &str, columns: usize) -> String {
    let width = |c: char| if c >= '\u{1100}' { 2 } else { 1 };
    if label.chars().map(width).sum::<usize>() <= columns {
        return label.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += width(*c);
        used <= columns
    };
    label.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_cut_between_letters() {
        assert_eq!(shortened("AFNLWGT", 7), "AFNLWGT");
        assert_eq!(shortened("AFNLWGTS", 7), "AFNLWG…");
        assert_eq!(shortened("日本語の名前", 7), "日本語…");
    }

    #[test]
    fn text_cannot_become_markup() {
        let mut svg = Svg::new(10.0);
        svg.text("label", (0.0, 0.0), "start", "</text><script>&\"'");
        let text = svg.finish("<t>", "d");
        assert!(!text.contains("<script>") && !text.contains("<t>"), "{text}");
    }
}
