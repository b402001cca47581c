//! Axes: which pixel a value stands at, and which values are named.

use super::canvas::{Canvas, Ink, Lettering, Level, Pixel};

/// A range of values on a range of pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    values: (f64, f64),
    pub pixels: (i32, i32),
}

impl Axis {
    pub fn pixel(&self, value: f64) -> i32 {
        let ((low, high), (start, end)) = (self.values, self.pixels);
        let share = (value - low) / (high - low);
        // A value on the edge between two pixels counts to the farther one.
        let steps = (f64::from((end - start).abs()) * share + 1e-3).floor() as i32;
        start + (end - start).signum() * steps
    }

    /// Pixels from the first to the last, both counted.
    pub fn length(&self) -> i32 {
        (self.pixels.1 - self.pixels.0).abs() + 1
    }

    /// At most `most` round values with their pixels.
    fn ticks(&self, most: usize) -> Vec<(f64, i32)> {
        ticks(self.values, most).into_iter().map(|value| (value, self.pixel(value))).collect()
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, as many as there may be up to `most`.
fn ticks((low, high): (f64, f64), most: usize) -> Vec<f64> {
    if (high - low).abs() < f64::EPSILON {
        return vec![low];
    }
    let (step, grain) = step((low, high), most);
    let (first, last) = (not_below(low, step), not_above(high, step));
    // Steps are added up from a round base: on axes far from zero little is lost.
    let base = (first / grain).floor() * grain;
    std::iter::successors(Some(first - base), |offset| Some(offset + step))
        .take_while(|offset| last - offset - base >= -f64::EPSILON)
        .take(most + 1)
        .map(|offset| offset + base)
        .collect()
}

/// The finest step of 1, 2 or 5 times a power of ten with at most `most` multiples in the
/// range, and a power of ten that divides it.
fn step((low, high): (f64, f64), most: usize) -> (f64, f64) {
    let count =
        |step: f64| (1.0 + (not_above(high, step) - not_below(low, step)) / step).round() as usize;
    let mut decade = 10f64.powf((high - low).log(10.0).floor());
    if 1 + ((high - low) / decade).floor() as usize > most {
        decade *= 10.0;
    }
    std::iter::successors(Some(decade), |decade| Some(decade / 10.0))
        .flat_map(|d| [(d / 2.0, d / 10.0), (d / 5.0, d / 10.0), (d / 10.0, d / 10.0 / 10.0)])
        .take_while(|(step, _)| count(*step) <= most)
        .last()
        .unwrap_or((decade, decade / 10.0))
}

/// The greatest multiple of `step` that is not above `value`.
fn not_above(value: f64, step: f64) -> f64 {
    let rest = value - (value / step).floor() * step;
    if (rest - step).abs() < f64::EPSILON { value } else { value - rest }
}

/// The least multiple of `step` that is not below `value`.
fn not_below(value: f64, step: f64) -> f64 {
    let multiple = not_above(value, step);
    if multiple < value { multiple + step } else { multiple }
}

/// What is written along an axis.
pub(super) struct AxisLabels<'a> {
    /// What the axis shows.
    pub name: &'a str,
    /// At most so many values are named.
    pub most: usize,
    /// How a value is written.
    pub written: &'a dyn Fn(f64) -> String,
}

/// The field of a chart between its two axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlotField {
    pub x: Axis,
    pub y: Axis,
}

const LABEL: Lettering = Lettering::new(12.0);
const TITLE: Lettering = Lettering::new(17.0).placed("middle", Level::Top);
/// Pixels from the edges of a panel to the field.
const LEFT: i32 = 76;
const RIGHT: i32 = 13;
const TOP: i32 = 36;
const BOTTOM: i32 = 55;
/// Length of a tick, and from the axis to what is written beside it.
const TICK: i32 = 5;
const GAP: i32 = 10;
/// Lines of the fine grid for each named value.
const FINE: usize = 10;

impl PlotField {
    /// The field of a panel, for values of both ranges.
    pub fn new((left, top): Pixel, (width, height): Pixel, x: (f64, f64), y: (f64, f64)) -> Self {
        Self {
            x: Axis { values: x, pixels: (left + LEFT, left + width - RIGHT) },
            y: Axis { values: y, pixels: (top + height - BOTTOM, top + TOP) },
        }
    }

    pub fn pixel(&self, (x, y): (f64, f64)) -> Pixel {
        (self.x.pixel(x), self.y.pixel(y))
    }

    /// The upper left pixel.
    pub fn corner(&self) -> Pixel {
        (self.x.pixels.0, self.y.pixels.1)
    }

    /// Above the field, in the middle of the panel.
    pub fn title(&self, canvas: &mut Canvas, title: &str) {
        let (left, right) = (self.x.pixels.0 - LEFT, self.x.pixels.1 + RIGHT);
        canvas.text(TITLE, (left + (right - left) / 2, self.y.pixels.1 - 19), title);
    }

    /// Grid, axes and what is written along them.
    pub fn axes(&self, canvas: &mut Canvas, x: &AxisLabels<'_>, y: &AxisLabels<'_>) {
        let (x_ticks, y_ticks) = (self.x.ticks(x.most), self.y.ticks(y.most));
        // White on white, for who gives the drawing another ground.
        self.grid(canvas, Ink::WHITE, &self.x.ticks(FINE * x.most), &self.y.ticks(FINE * y.most));
        self.names(canvas, x.name, y.name);
        self.grid(canvas, Ink::BLACK.thinned(0.2), &x_ticks, &y_ticks);
        self.left_axis(canvas, &y_ticks, y.written);
        self.lower_axis(canvas, &x_ticks, x.written);
    }

    fn grid(&self, canvas: &mut Canvas, ink: Ink, x: &[(f64, i32)], y: &[(f64, i32)]) {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        for &(_, x) in x {
            canvas.line(ink, 1, (x, bottom), (x, top));
        }
        for &(_, y) in y {
            canvas.line(ink, 1, (left, y), (right, y));
        }
    }

    fn names(&self, canvas: &mut Canvas, x: &str, y: &str) {
        let (left, top) = self.corner();
        let upward = Lettering { upward: true, ..LABEL.placed("middle", Level::Top) };
        canvas.text(upward, (left - 64, top + self.y.length() / 2), y);
        let below = LABEL.placed("middle", Level::Bottom);
        canvas.text(below, (left + self.x.length() / 2, self.y.pixels.0 + 43), x);
    }

    fn left_axis(
        &self,
        canvas: &mut Canvas,
        ticks: &[(f64, i32)],
        written: &dyn Fn(f64) -> String,
    ) {
        let ((left, _), (bottom, top)) = (self.x.pixels, self.y.pixels);
        let axis = left - 1;
        canvas.path(Ink::BLACK, 1, &[(axis, top), (axis, bottom)]);
        for &(value, y) in ticks {
            let beside = LABEL.placed("end", Level::Middle);
            canvas.text(beside, (left - GAP, y), &written(value));
            canvas.path(Ink::BLACK, 1, &[(axis - TICK, y), (axis, y)]);
        }
    }

    fn lower_axis(
        &self,
        canvas: &mut Canvas,
        ticks: &[(f64, i32)],
        written: &dyn Fn(f64) -> String,
    ) {
        let ((left, right), (bottom, _)) = (self.x.pixels, self.y.pixels);
        let axis = bottom + 1;
        canvas.path(Ink::BLACK, 1, &[(left, axis), (right, axis)]);
        for &(value, x) in ticks {
            let below = LABEL.placed("middle", Level::Top);
            canvas.text(below, (x, axis + GAP), &written(value));
            canvas.path(Ink::BLACK, 1, &[(x, axis), (x, axis + TICK)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_as_many_as_there_may_be() {
        assert_eq!(
            ticks((-0.4, 10.4), 11),
            [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
        );
        assert_eq!(ticks((-0.4, 10.4), 10), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((71.7, 83.9), 11), [72.0, 74.0, 76.0, 78.0, 80.0, 82.0]);
        assert_eq!(ticks((950.0, 2450.0), 4), [1000.0, 1500.0, 2000.0]);
    }

    #[test]
    fn a_range_too_small_to_divide_has_one_tick() {
        assert_eq!(ticks((1e17, 1e17), 11), [1e17]);
    }

    #[test]
    fn both_ends_of_a_range_stand_on_the_ends_of_the_axis() {
        for pixels in [(76, 507), (365, 36)] {
            let axis = Axis { values: (-0.3, 7.7), pixels };
            assert_eq!((axis.pixel(-0.3), axis.pixel(7.7)), pixels);
        }
    }
}
