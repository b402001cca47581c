//! A lattice as rows of nodes, the most general on top.

use super::canvas::{COLORS, Canvas, Ink, Lettering, Level, Pixel};
use crate::error::{Error, Result};
use crate::lattice::Lattice;

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
const STEP: Pixel = (150, 90);
const HALF: Pixel = (58, 22);
/// Pixels above the nodes, for the title.
const HEAD: i32 = 50;
const TITLE: Lettering = Lettering::new(17.0);
const NODE: Lettering = Lettering::new(14.0).placed("middle", Level::Middle);

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
        let mut canvas = Canvas::new((width, HEAD + rows.len() as i32 * STEP.1));
        canvas.text(TITLE, (12, 14), &self.title);
        self.draw(&mut canvas, &places(&rows, nodes, width));
        Ok(canvas.finish())
    }

    /// The nodes by height, the highest first.
    fn rows(&self) -> Vec<Vec<usize>> {
        let height = |index| self.lattice.height(index);
        let highest = height(self.lattice.len() - 1);
        let on = |h: usize| (0..self.lattice.len()).filter(|&i| height(i) == h).collect();
        (0..=highest).rev().map(on).collect()
    }

    fn draw(&self, canvas: &mut Canvas, places: &[Pixel]) {
        for (index, &(x, y)) in places.iter().enumerate() {
            for above in self.lattice.above(index) {
                let edge = [(x, y - HALF.1), (places[above].0, places[above].1 + HALF.1)];
                canvas.path(Ink::BLACK.thinned(0.4), 1, &edge);
            }
        }
        places.iter().enumerate().for_each(|(index, place)| self.node(canvas, index, *place));
    }

    fn node(&self, canvas: &mut Canvas, index: usize, (x, y): Pixel) {
        let (corner, size) = ((x - HALF.0, y - HALF.1), (2 * HALF.0, 2 * HALF.1));
        let marked = self.marked.get(index) == Some(&true);
        if marked {
            canvas.block(COLORS[2].thinned(0.3), corner, size);
        }
        canvas.outline(if marked { COLORS[2] } else { Ink::BLACK }, corner, size);
        let levels: Vec<String> = self.lattice.node(index).iter().map(usize::to_string).collect();
        canvas.text(NODE, (x, y - 8), &format!("({})", levels.join(", ")));
        canvas.text(NODE, (x, y + 10), self.notes.get(index).map_or("", String::as_str));
    }
}

/// The middle of each node, rows being centered.
fn places(rows: &[Vec<usize>], nodes: usize, width: i32) -> Vec<Pixel> {
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
