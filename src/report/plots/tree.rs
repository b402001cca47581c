//! A decision tree from left to right: a row for each leaf, a column for each level.

use super::canvas::{COLORS, Canvas, Ink, Lettering, Pixel};
use crate::classifier::DecisionTree;

const ROW: usize = 16;
const LETTER: usize = 7;
const MARGIN: usize = 14;
const CAPTION: Lettering = Lettering::new(12.0);
const BRANCH: Ink = Ink::new(190, 190, 190);

/// `tree` as SVG: at every branch what is true there, then the attribute tested
/// next or the class told; leaves have the color of their class.
pub fn decision_tree(tree: &DecisionTree) -> String {
    let layout = Layout::new(tree);
    let mut canvas = Canvas::new(layout.size());
    for (node, caption) in layout.captions.iter().enumerate() {
        let (x, y) = layout.place(node);
        for &child in &tree.nodes()[node].children {
            canvas.path(BRANCH, 1, &layout.branch(node, child));
        }
        let ink = match tree.nodes()[node].split {
            Some(_) => Ink::BLACK,
            None => COLORS[tree.nodes()[node].class() % COLORS.len()],
        };
        canvas.text(Lettering { ink, ..CAPTION }, (x, y - 6), caption);
    }
    canvas.finish()
}

/// Where each node stands.
struct Layout {
    captions: Vec<String>,
    depths: Vec<usize>,
    /// Height in half rows: a parent stands in the middle of its children.
    heights: Vec<usize>,
    /// Left edge of each level, and the right edge of the last.
    edges: Vec<usize>,
    leaves: usize,
}

impl Layout {
    fn new(tree: &DecisionTree) -> Self {
        let depths = depths(tree);
        let captions = captions(tree);
        let mut edges = vec![MARGIN; tree.depth() + 2];
        for (caption, depth) in captions.iter().zip(&depths) {
            edges[depth + 1] = edges[depth + 1].max(LETTER * caption.chars().count() + 30);
        }
        (1..edges.len()).for_each(|level| edges[level] += edges[level - 1]);
        Self { captions, depths, heights: heights(tree), edges, leaves: tree.leaves() }
    }

    fn size(&self) -> Pixel {
        let right = self.edges.last().copied().unwrap_or(0) + MARGIN;
        (right as i32, (ROW * self.leaves + 2 * MARGIN) as i32)
    }

    /// The line from a node to its child.
    fn branch(&self, node: usize, child: usize) -> [Pixel; 4] {
        let ((x, y), (right, below)) = (self.place(node), self.place(child));
        let elbow = right - 9;
        [(x + self.width(node), y), (elbow, y), (elbow, below), (right - 3, below)]
    }

    fn place(&self, node: usize) -> Pixel {
        let y = MARGIN + (self.heights[node] + 1) * ROW / 2;
        (self.edges[self.depths[node]] as i32, y as i32)
    }

    fn width(&self, node: usize) -> i32 {
        (LETTER * self.captions[node].chars().count()) as i32
    }
}

fn depths(tree: &DecisionTree) -> Vec<usize> {
    let mut depths = vec![0; tree.size()];
    for (i, node) in tree.nodes().iter().enumerate() {
        node.children.iter().for_each(|&child| depths[child] = depths[i] + 1);
    }
    depths
}

fn captions(tree: &DecisionTree) -> Vec<String> {
    let mut captions = vec![String::new(); tree.size()];
    for (i, node) in tree.nodes().iter().enumerate() {
        let Some(split) = node.split else {
            captions[i].push_str(&tree.verdict(node));
            continue;
        };
        captions[i].push_str(tree.attribute(split));
        for (branch, &child) in node.children.iter().enumerate() {
            captions[child] = format!("{}: ", tree.condition(split, branch));
        }
    }
    captions
}

/// Leaves one below the other; parents before their children, so from the end the
/// leaves under each node are counted, and from the start the places are given.
fn heights(tree: &DecisionTree) -> Vec<usize> {
    let mut leaves = vec![1; tree.size()];
    for (i, node) in tree.nodes().iter().enumerate().rev() {
        if !node.children.is_empty() {
            leaves[i] = node.children.iter().map(|&child| leaves[child]).sum();
        }
    }
    let mut tops = vec![0; tree.size()];
    for (i, node) in tree.nodes().iter().enumerate() {
        let mut top = tops[i];
        for &child in &node.children {
            tops[child] = top;
            top += leaves[child];
        }
    }
    tops.iter().zip(leaves).map(|(top, leaves)| 2 * top + leaves - 1).collect()
}
