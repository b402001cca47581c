//! The parts that charts for pages are drawn of.
//!
//! Colors are classes that the page's style sheet gives for light and dark; a
//! chart is 420 units wide, so that its letters can be read on a phone.

use super::svg::{Markup, escape};

/// Width of every chart.
pub(super) const WIDTH: f64 = 420.0;

/// A chart of a page under way.
#[derive(Debug)]
pub(super) struct PageSvg {
    height: f64,
    markup: Markup,
}

impl PageSvg {
    pub fn new(height: f64) -> Self {
        Self { height, markup: Markup::in_one_line() }
    }

    /// A line from one point to another.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.markup.element(
            "line",
            &[
                ("class", &class),
                ("x1", &tenths(from.0)),
                ("y1", &tenths(from.1)),
                ("x2", &tenths(to.0)),
                ("y2", &tenths(to.1)),
            ],
        );
    }

    /// A rectangle by its upper left corner and size.
    pub fn rectangle(&mut self, class: &str, corner: (f64, f64), size: (f64, f64)) {
        self.markup.element(
            "rect",
            &[
                ("class", &class),
                ("x", &tenths(corner.0)),
                ("y", &tenths(corner.1)),
                ("width", &tenths(size.0.max(0.0))),
                ("height", &tenths(size.1.max(0.0))),
            ],
        );
    }

    /// A disc.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        self.markup.element(
            "circle",
            &[("class", &class), ("cx", &tenths(x)), ("cy", &tenths(y)), ("r", &tenths(radius))],
        );
    }

    /// Lines through `points`.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let pairs: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.markup.element("polyline", &[("class", &class), ("points", &pairs.join(" "))]);
    }

    /// Text at a point; `anchor` is start, middle or end.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: &str, text: &str) {
        self.markup.element_with(
            "text",
            &[("class", &class), ("x", &tenths(x)), ("y", &tenths(y)), ("text-anchor", &anchor)],
            text,
        );
    }

    /// The whole chart, told in words to who cannot see it.
    pub fn finish(self, title: &str, description: &str) -> String {
        let mut whole = Markup::in_one_line();
        whole.element_with("title", &[], title);
        whole.element_with("desc", &[], description);
        whole.append(self.markup);
        whole.finish(&[
            ("viewBox", &format_args!("0 0 {WIDTH} {:.0}", self.height)),
            ("role", &"img"),
            ("aria-label", &escape(title)),
        ])
    }
}

/// A number with one digit after the point.
fn tenths(number: f64) -> String {
    format!("{number:.1}")
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
        let mut svg = PageSvg::new(10.0);
        svg.text("label", (0.0, 0.0), "start", "</text><script>&\"'");
        let text = svg.finish("<t>", "d");
        assert!(!text.contains("<script>") && !text.contains("<t>"), "{text}");
    }
}
