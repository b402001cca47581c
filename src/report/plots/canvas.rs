//! The parts that plots for files are drawn of: whole pixels, colors written out.

use super::svg::Markup;

/// Pixels from the left and from above.
pub(super) type Pixel = (i32, i32);

/// A color and how much it covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ink {
    rgb: [u8; 3],
    opacity: f64,
}

impl Ink {
    pub const BLACK: Self = Self::new(0, 0, 0);
    pub const WHITE: Self = Self::new(255, 255, 255);

    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { rgb: [red, green, blue], opacity: 1.0 }
    }

    /// The same color, covering only a share of what lies below.
    pub const fn thinned(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    fn color(self) -> String {
        let [red, green, blue] = self.rgb;
        format!("#{red:02X}{green:02X}{blue:02X}")
    }
}

/// Colors that people with any color vision can tell apart (Okabe and Ito 2008, but for
/// the last).
pub(super) const COLORS: [Ink; 8] = [
    Ink::new(0, 114, 178),
    Ink::new(213, 94, 0),
    Ink::new(0, 158, 115),
    Ink::new(204, 121, 167),
    Ink::new(230, 159, 0),
    Ink::new(86, 180, 233),
    Ink::new(0, 0, 0),
    Ink::new(140, 120, 20),
];

/// How a text is written, and where its point lies in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lettering {
    /// Height of a line.
    pub height: f64,
    pub ink: Ink,
    /// Where along the text: start, middle or end.
    pub anchor: &'static str,
    pub level: Level,
    /// From below to above.
    pub upward: bool,
}

/// Where the point of a text lies in its height.
#[derive(Debug, Clone, Copy)]
pub(super) enum Level {
    Top,
    Middle,
    Bottom,
}

impl Lettering {
    /// Black, by its upper left corner.
    pub const fn new(height: f64) -> Self {
        let (anchor, level) = ("start", Level::Top);
        Self { height, ink: Ink::BLACK, anchor, level, upward: false }
    }

    pub const fn placed(self, anchor: &'static str, level: Level) -> Self {
        Self { anchor, level, ..self }
    }

    /// About how wide `text` is.
    pub fn width(self, text: &str) -> i32 {
        let letter = self.height / LINE / LINE * 0.7;
        (letter * text.chars().count() as f64).round() as i32
    }

    fn shift(self) -> &'static str {
        match self.level {
            Level::Top => "0.76em",
            Level::Middle => "0.5ex",
            Level::Bottom => "-0.5ex",
        }
    }
}

/// The height of a line, in heights of its letters.
const LINE: f64 = 1.24;

/// A drawing under way, on white.
#[derive(Debug)]
pub(super) struct Canvas {
    size: Pixel,
    markup: Markup,
}

impl Canvas {
    pub fn new(size: Pixel) -> Self {
        let mut canvas = Self { size, markup: Markup::in_lines() };
        canvas.block(Ink::WHITE, (0, 0), size);
        canvas
    }

    /// A straight line.
    pub fn line(&mut self, ink: Ink, width: i32, from: Pixel, to: Pixel) {
        self.markup.element(
            "line",
            &[
                ("opacity", &ink.opacity),
                ("stroke", &ink.color()),
                ("stroke-width", &width),
                ("x1", &from.0),
                ("y1", &from.1),
                ("x2", &to.0),
                ("y2", &to.1),
            ],
        );
    }

    /// Lines through `points`.
    pub fn path(&mut self, ink: Ink, width: i32, points: &[Pixel]) {
        let points: String = points.iter().map(|(x, y)| format!("{x},{y} ")).collect();
        self.markup.element(
            "polyline",
            &[
                ("fill", &"none"),
                ("opacity", &ink.opacity),
                ("stroke", &ink.color()),
                ("stroke-width", &width),
                ("points", &points),
            ],
        );
    }

    /// A filled rectangle by its upper left corner and size.
    pub fn block(&mut self, ink: Ink, corner: Pixel, size: Pixel) {
        self.rectangle(ink.opacity, [&ink.color(), "none"], corner, size);
    }

    /// The outline of a rectangle by its upper left corner and size.
    pub fn outline(&mut self, ink: Ink, corner: Pixel, size: Pixel) {
        self.rectangle(ink.opacity, ["none", &ink.color()], corner, size);
    }

    fn rectangle(&mut self, opacity: f64, [fill, stroke]: [&str; 2], corner: Pixel, size: Pixel) {
        self.markup.element(
            "rect",
            &[
                ("x", &corner.0),
                ("y", &corner.1),
                ("width", &size.0),
                ("height", &size.1),
                ("opacity", &opacity),
                ("fill", &fill),
                ("stroke", &stroke),
            ],
        );
    }

    /// A disc.
    pub fn dot(&mut self, ink: Ink, center: Pixel, radius: i32) {
        self.circle(ink.opacity, [&ink.color(), "none"], center, radius);
    }

    /// A circle, empty within.
    pub fn ring(&mut self, ink: Ink, center: Pixel, radius: i32) {
        self.circle(ink.opacity, ["none", &ink.color()], center, radius);
    }

    fn circle(&mut self, opacity: f64, [fill, stroke]: [&str; 2], center: Pixel, radius: i32) {
        self.markup.element(
            "circle",
            &[
                ("cx", &center.0),
                ("cy", &center.1),
                ("r", &radius),
                ("opacity", &opacity),
                ("fill", &fill),
                ("stroke", &stroke),
                ("stroke-width", &1),
            ],
        );
    }

    /// Two lines from corner to corner of a square around `center`.
    pub fn cross(&mut self, ink: Ink, (x, y): Pixel, reach: i32) {
        self.line(ink, 2, (x - reach, y - reach), (x + reach, y + reach));
        self.line(ink, 2, (x - reach, y + reach), (x + reach, y - reach));
    }

    /// A text on one line.
    pub fn text(&mut self, lettering: Lettering, (x, y): Pixel, text: &str) {
        let (size, color) = (lettering.height / LINE, lettering.ink.color());
        let turn = format!("rotate(270, {x}, {y})");
        let attributes: [(&str, &dyn std::fmt::Display); 9] = [
            ("x", &x),
            ("y", &y),
            ("dy", &lettering.shift()),
            ("text-anchor", &lettering.anchor),
            ("font-family", &"sans-serif"),
            ("font-size", &size),
            ("opacity", &lettering.ink.opacity),
            ("fill", &color),
            ("transform", &turn),
        ];
        let shown = if lettering.upward { &attributes[..] } else { &attributes[..8] };
        self.markup.element_with("text", shown, text);
    }

    /// The whole drawing.
    pub fn finish(self) -> String {
        let (width, height) = self.size;
        self.markup.finish(&[
            ("width", &width),
            ("height", &height),
            ("viewBox", &format_args!("0 0 {width} {height}")),
            ("xmlns", &"http://www.w3.org/2000/svg"),
        ])
    }
}
