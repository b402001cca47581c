//! A lattice as rows of nodes, the most general on top.

use super::{COLORS, failed};
use crate::error::{Error, Result};
use crate::lattice::Lattice;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The nodes of a lattice with a line between those one step apart.
#[derive(Debug, Clone)]
pub struct LatticeDrawing<'a> {
    /// Above the drawing.
    pub title: String,
    /// What is drawn.
    pub lattice: &'a Lattice,
    /// Nodes to fill, by index.
    pub marked: Vec<bool>,
    /// The second line in each node, by index.
    pub notes: Vec<String>,
}

/// More nodes than this cannot be read.
const MOST_DRAWN: usize = 500;

/// Pixels between neighboring nodes, and half the size of a node.
const STEP: (i32, i32) = (150, 90);
const HALF: (i32, i32) = (58, 22);
/// Pixels above the nodes, for the title.
const HEAD: i32 = 50;

impl LatticeDrawing<'_> {
    /// The drawing as SVG; fails on more than 500 nodes.
    pub fn svg(&self) -> Result<String> {
        let nodes = self.lattice.len();
        if nodes > MOST_DRAWN {
            let problem = format!("nodes, but a drawing of more than {MOST_DRAWN} cannot be read");
            return Err(Error::parameter("lattice", nodes, problem));
        }
        let rows = self.rows();
        let widest = rows.iter().map(Vec::len).max().unwrap_or(1) as i32;
        let width = (widest * STEP.0).max(520);
        let size = (width as u32, (HEAD + rows.len() as i32 * STEP.1) as u32);
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            area.fill(&WHITE).map_err(failed)?;
            let title = ("sans-serif", 17).into_text_style(&area);
            area.draw_text(&self.title, &title, (12, 14)).map_err(failed)?;
            self.draw(&area, &places(&rows, nodes, width))?;
            area.present().map_err(failed)?;
        }
        Ok(svg)
    }

    /// The nodes by height, the highest first.
    fn rows(&self) -> Vec<Vec<usize>> {
        let height = |index| self.lattice.height(index);
        let highest = height(self.lattice.len() - 1);
        let on = |h: usize| (0..self.lattice.len()).filter(|&i| height(i) == h).collect();
        (0..=highest).rev().map(on).collect()
    }

    fn draw(&self, area: &Area<'_>, places: &[(i32, i32)]) -> Result<()> {
        for (index, &(x, y)) in places.iter().enumerate() {
            for above in self.lattice.above(index) {
                let edge = [(x, y - HALF.1), (places[above].0, places[above].1 + HALF.1)];
                area.draw(&PathElement::new(edge, BLACK.mix(0.4))).map_err(failed)?;
            }
        }
        places.iter().enumerate().try_for_each(|(index, place)| self.node(area, index, *place))
    }

    fn node(&self, area: &Area<'_>, index: usize, (x, y): (i32, i32)) -> Result<()> {
        let marked = self.marked.get(index) == Some(&true);
        let corners = [(x - HALF.0, y - HALF.1), (x + HALF.0, y + HALF.1)];
        if marked {
            let fill = Rectangle::new(corners, COLORS[2].mix(0.3).filled());
            area.draw(&fill).map_err(failed)?;
        }
        let color = if marked { COLORS[2] } else { BLACK };
        area.draw(&Rectangle::new(corners, color.stroke_width(1))).map_err(failed)?;
        let levels: Vec<String> = self.lattice.node(index).iter().map(usize::to_string).collect();
        let centered = Pos::new(HPos::Center, VPos::Center);
        let style = ("sans-serif", 14).into_text_style(area).pos(centered);
        area.draw_text(&format!("({})", levels.join(", ")), &style, (x, y - 8)).map_err(failed)?;
        let note = self.notes.get(index).map_or("", String::as_str);
        area.draw_text(note, &style, (x, y + 10)).map_err(failed)
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// The middle of each node, rows being centered.
fn places(rows: &[Vec<usize>], nodes: usize, width: i32) -> Vec<(i32, i32)> {
    let mut places = vec![(0, 0); nodes];
    for (row, indices) in rows.iter().enumerate() {
        let left = (width - indices.len() as i32 * STEP.0) / 2 + STEP.0 / 2;
        for (column, &index) in indices.iter().enumerate() {
            let y = HEAD + row as i32 * STEP.1 + STEP.1 / 2;
            places[index] = (left + column as i32 * STEP.0, y);
        }
    }
    places
}
