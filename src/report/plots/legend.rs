//! What the marks of a chart stand for.

use super::axis::PlotField;
use super::canvas::{COLORS, Canvas, Ink, Lettering, Pixel};
use super::chart::{Mark, Series};

/// Names of series with their marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Legend<'a> {
    pub series: &'a [(Series, Mark)],
}

/// A corner of the field of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Corner {
    pub right: bool,
    pub upper: bool,
}

const NAME: Lettering = Lettering::new(12.0);
/// Pixels from one name to the next, within the field and beside it.
const LINE: i32 = 15;
const LINE_BESIDE: i32 = 18;
/// Height of the letters of a name.
const LETTER: i32 = 10;
/// Pixels from the box to the names, from the box to the field, and for the marks.
const PADDING: i32 = 10;
const DISTANCE: i32 = 5;
const MARKS: i32 = 30;
/// Half the size of a mark.
const REACH: i32 = 4;
/// No legend is wider than this beside a chart, so that the chart keeps its place.
const WIDEST: i32 = 320;

impl Legend<'_> {
    /// The share of the field's height that it takes.
    pub fn share(&self) -> f64 {
        0.07 * (self.series.len() + 1) as f64
    }

    /// Its width beside a chart.
    pub fn width(&self) -> i32 {
        let longest = self.series.iter().map(|(series, _)| series.name.chars().count()).max();
        longest.map_or(40, |letters| 40 + 7 * letters as i32).min(WIDEST)
    }

    /// By itself, for charts whose points leave no corner free.
    pub fn draw_beside(&self, canvas: &mut Canvas, (left, top): Pixel) {
        for (i, (series, mark)) in self.series.iter().enumerate() {
            let y = top + 50 + LINE_BESIDE * i as i32;
            draw_mark(canvas, *mark, i, (left + 10, y), REACH);
            canvas.text(NAME, (left + 22, y - 6), &series.name);
        }
    }

    /// In a box in a corner of the field.
    pub fn draw_within(&self, canvas: &mut Canvas, field: &PlotField, corner: Corner) {
        let size = self.size();
        let (x, y) = field.corner();
        let right = field.x.length() - size.0 - DISTANCE;
        let lower = field.y.length() - size.1 - DISTANCE;
        let x = x + if corner.right { right } else { DISTANCE };
        let y = y + if corner.upper { DISTANCE } else { lower };
        canvas.block(Ink::WHITE.thinned(0.8), (x, y), size);
        canvas.outline(Ink::BLACK.thinned(0.2), (x, y), size);
        let line = |i: usize| y + PADDING + LINE * i as i32;
        for (i, (series, _)) in self.series.iter().enumerate() {
            canvas.text(NAME, (x + PADDING + MARKS, line(i)), &series.name);
        }
        for (i, (_, mark)) in self.series.iter().enumerate() {
            draw_mark(canvas, *mark, i, (x + PADDING + 8, line(i) + LETTER / 2), REACH);
        }
    }

    /// The size of its box; the width of the names is guessed.
    fn size(&self) -> Pixel {
        let widths = self.series.iter().map(|(series, _)| NAME.width(&series.name));
        let widest = widths.max().unwrap_or(0);
        let lines = LINE * (self.series.len() as i32 - 1) + LETTER;
        (widest + MARKS + 2 * PADDING, lines + 2 * PADDING)
    }
}

/// The mark of series `i`; dots of the ninth and later ones are hollow.
pub(super) fn draw_mark(canvas: &mut Canvas, mark: Mark, i: usize, at: Pixel, reach: i32) {
    let ink = color_of(i);
    match mark {
        Mark::Crosses => canvas.cross(ink, at, reach),
        _ if i < COLORS.len() => canvas.dot(ink, at, reach),
        _ => canvas.ring(ink, at, reach),
    }
}

/// The color of series `i`.
pub(super) fn color_of(i: usize) -> Ink {
    COLORS[i % COLORS.len()]
}
