//! One-to-one assignment of many records by an auction on sparse candidates.
//!
//! Every row bids for the class of columns that is cheapest to it, cost plus price; a bid
//! raises the price until the class is as dear as the row's next best one, and `epsilon` more;
//! who is outbid bids again. Each row looks at a short list of candidates only, together with
//! the least value that anything off the list can have: prices never fall, so that bound holds
//! until the list is asked for again from the tree, at the prices of the day. The outcome is
//! therefore that of an auction over all pairs: the total is at most rows x `epsilon` above the
//! least one, and the prices prove how much at most. Rounds with smaller and smaller `epsilon`
//! start from the prices of the one before. Columns with the same coordinates are one class
//! with many units, for which rows need not outbid each other step by step.
//!
//! Memory O(rows x candidates). The order of bids does not depend on threads, which share the
//! search for candidates.
//!
//! D.P. Bertsekas, "The auction algorithm: a distributed relaxation method for the assignment
//! problem", Annals of Operations Research 14 (1988), doi:10.1007/BF02186476; D.P. Bertsekas,
//! D.A. Castañon, "The auction algorithm for the transportation problem", Annals of Operations
//! Research 20 (1989), doi:10.1007/BF02216923.

use crate::listener::Listener;
use crate::spatial::box_tree::Open;
use crate::spatial::{BoxTree, Offer, PricedTree};
use rayon::prelude::*;
use std::collections::VecDeque;

/// Candidates that a row looks at.
const CANDIDATES: usize = 12;

/// A total this share above the least one is good enough.
const GOOD_ENOUGH: f64 = 1e-6;

/// `epsilon` of the first round, as a share of the mean cost of the last candidate.
const FIRST: f64 = 0.02;

/// How much smaller `epsilon` is in the next round.
const SMALLER: f64 = 5.0;

/// Rounds at most.
const ROUNDS: usize = 9;

/// Bids per row after which no finer round is finished.
const PATIENCE: usize = 1_500;

/// Rows between two looks at the listener.
const LOOKS: usize = 1 << 16;

/// Queries that one thread answers at a time.
const QUERIES: usize = 64;

/// Lists renewed until the prices of the tree are brought up to date.
const STALE: usize = 500;

/// Nobody, or nothing.
const NONE: u32 = u32::MAX;

/// What is assigned: each of the `queries` to a point of the tree, which takes as many as its
/// `capacity` says, and all of them together at least one for each query.
pub(super) struct Market<'a> {
    pub tree: &'a BoxTree,
    /// Column by column.
    pub points: &'a [Vec<f64>],
    /// Column by column.
    pub queries: &'a [Vec<f64>],
    pub capacity: &'a [u32],
}

/// An assignment and how far from the best it may be.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bargain {
    /// The point of each query.
    pub class: Vec<u32>,
    /// Its distance.
    pub cost: Vec<f64>,
    /// The most by which the sum of the costs exceeds the least one.
    pub excess: f64,
}

impl Bargain {
    /// The sum of the costs.
    pub fn total(&self) -> f64 {
        self.cost.iter().sum()
    }

    /// The most by which the total exceeds the least one, as a share of the total.
    pub fn gap(&self) -> f64 {
        match self.total() {
            total if total > 0.0 => (self.excess / total).min(1.0),
            _ => 0.0,
        }
    }
}

/// The assignment of least total cost, nearly; `None` when the listener interrupts before there
/// is any.
///
/// Round by round until the gap is [`GOOD_ENOUGH`], patience ends or the listener interrupts;
/// the last round that was finished counts.
pub(super) fn assign(market: &Market<'_>, listener: &dyn Listener) -> Option<Bargain> {
    let mut auction = Auction::open(market, listener)?;
    let rows = auction.class.len();
    let mut epsilon = FIRST * auction.mean_cost();
    let mut patience = usize::MAX;
    let mut finished: Option<Bargain> = None;
    for _ in 0..ROUNDS {
        let Some(bargain) = auction.round(epsilon, patience, listener) else { break };
        listener.advance(rows as u64, (ROUNDS * rows) as u64);
        let good = bargain.gap() <= GOOD_ENOUGH;
        finished = Some(bargain);
        if good {
            break;
        }
        epsilon /= SMALLER;
        patience = PATIENCE * rows;
    }
    finished
}

/// An auction under way.
struct Auction<'a> {
    market: &'a Market<'a>,
    /// The tree at the prices of some time ago.
    tree: PricedTree<'a>,
    /// Lists renewed since then.
    renewed: usize,
    /// The candidates of each row, one row after the other.
    candidates: Vec<Candidacy>,
    /// Candidates of a row.
    length: usize,
    /// The least value that anything but a row's candidates can have.
    beyond: Vec<f64>,
    /// The class of each row, or [`NONE`].
    class: Vec<u32>,
    units: Units,
    bids: usize,
}

/// A class that a row may bid for.
#[derive(Debug, Clone, Copy)]
struct Candidacy {
    class: u32,
    cost: f64,
}

/// The best candidate of a row and what the next best one would cost it.
struct Choice {
    class: u32,
    value: f64,
    next: f64,
}

impl<'a> Auction<'a> {
    /// Prices of 0, and nobody has anything.
    fn open(market: &'a Market<'a>, listener: &dyn Listener) -> Option<Self> {
        let rows = market.queries[0].len();
        let length = CANDIDATES.min(market.capacity.len());
        let units = Units::new(market.capacity);
        let mut auction = Self {
            market,
            tree: PricedTree::new(market.tree, &units.prices),
            renewed: 0,
            candidates: vec![Candidacy { class: NONE, cost: f64::INFINITY }; rows * length],
            length,
            beyond: vec![0.0; rows],
            class: vec![NONE; rows],
            units,
            bids: 0,
        };
        auction.renew(&auction.rows_by_place(), listener)?;
        Some(auction)
    }

    /// An assignment at most `epsilon` for each row above the least total; `None` when patience
    /// ends or the listener interrupts before.
    ///
    /// Where units are to spare, those that nobody takes must have kept the price 0, so that
    /// prices start from 0 again.
    fn round(&mut self, epsilon: f64, patience: usize, listener: &dyn Listener) -> Option<Bargain> {
        if self.units.held.len() > self.class.len() && self.bids > 0 {
            self.close();
            self.renew(&self.rows_by_place(), listener)?;
        }
        self.release_discontented(epsilon);
        self.hold(epsilon, patience, listener)?;
        self.bargain(listener)
    }

    /// All rows, those that lie together one after the other.
    fn rows_by_place(&self) -> Vec<u32> {
        let geometry = self.market.tree.leaves().geometry().clone();
        BoxTree::new(geometry, self.market.queries).leaves().records().to_vec()
    }

    fn all_rows(&self) -> Vec<u32> {
        (0..self.class.len() as u32).collect()
    }

    /// Prices of 0 again; candidates are to be renewed.
    fn close(&mut self) {
        self.units = Units::new(self.market.capacity);
        self.tree = PricedTree::new(self.market.tree, &self.units.prices);
        self.class.fill(NONE);
    }

    /// The mean cost of the last candidates, or 1 where all of them cost nothing.
    fn mean_cost(&self) -> f64 {
        let last = self.candidates.chunks(self.length).map(|list| list[self.length - 1].cost);
        let sum: f64 = last.sum();
        if sum > 0.0 { sum / self.class.len() as f64 } else { 1.0 }
    }

    fn list(&self, row: u32) -> &[Candidacy] {
        &self.candidates[row as usize * self.length..][..self.length]
    }

    /// Asks the tree for the candidates of `rows` at the prices of the day.
    fn renew(&mut self, rows: &[u32], listener: &dyn Listener) -> Option<()> {
        for rows in rows.chunks(QUERIES * QUERIES) {
            if listener.interrupted() {
                return None;
            }
            self.renewed += rows.len();
            if self.renewed >= STALE {
                self.tree = PricedTree::new(self.market.tree, &self.units.prices);
                self.renewed = 0;
            }
            let lists = |part: &[u32]| -> Vec<Vec<Offer>> {
                let mut open = Open::default();
                part.iter().map(|&row| self.cheapest(row, &mut open)).collect()
            };
            let found: Vec<Vec<Offer>> = rows.par_chunks(QUERIES).flat_map_iter(lists).collect();
            for (&row, offers) in rows.iter().zip(found) {
                self.take(row, &offers);
            }
        }
        Some(())
    }

    fn cheapest(&self, row: u32, open: &mut Open) -> Vec<Offer> {
        let query: Vec<f64> = self.market.queries.iter().map(|c| c[row as usize]).collect();
        self.tree.cheapest((&query, row), &self.units.prices, self.length, open)
    }

    fn take(&mut self, row: u32, offers: &[Offer]) {
        let list = &mut self.candidates[row as usize * self.length..][..self.length];
        for (place, offer) in list.iter_mut().zip(offers) {
            *place = Candidacy { class: offer.record, cost: offer.distance };
        }
        let all = self.length == self.market.capacity.len();
        let last = offers.last().filter(|_| !all);
        self.beyond[row as usize] = last.map_or(f64::INFINITY, |offer| offer.value);
    }

    /// The least value of the candidates of `row`, and the next.
    fn choice(&self, row: u32) -> Choice {
        let mut best = Choice { class: NONE, value: f64::INFINITY, next: f64::INFINITY };
        for candidate in self.list(row) {
            let value = candidate.cost + self.units.prices[candidate.class as usize];
            if value < best.value {
                best = Choice { class: candidate.class, value, next: best.value };
            } else if value < best.next {
                best.next = value;
            }
        }
        best.next = best.next.min(self.beyond[row as usize]);
        best
    }

    /// What `row` pays for its class, price included.
    fn pays(&self, row: u32) -> f64 {
        let class = self.class[row as usize];
        self.cost(row, class) + self.units.prices[class as usize]
    }

    /// The distance of `row` to `class`.
    fn cost(&self, row: u32, class: u32) -> f64 {
        let listed = self.list(row).iter().find(|candidate| candidate.class == class);
        listed.map_or_else(|| self.market.distance(row, class), |candidate| candidate.cost)
    }

    /// Frees the rows that could do better by more than `epsilon`.
    fn release_discontented(&mut self, epsilon: f64) {
        for row in self.all_rows() {
            let has_one = self.class[row as usize] != NONE;
            let least = || self.choice(row).value.min(self.beyond[row as usize]);
            if has_one && self.pays(row) > least() + epsilon {
                self.class[row as usize] = NONE;
            }
        }
        self.units.settle(&self.class);
    }

    /// Lets rows bid until each has a class; `None` when patience ends or the listener interrupts
    /// before.
    fn hold(&mut self, epsilon: f64, patience: usize, listener: &dyn Listener) -> Option<()> {
        let free = |row: &u32| self.class[*row as usize] == NONE;
        let mut waiting: Vec<u32> = self.all_rows().into_iter().filter(free).collect();
        let mut bidders: VecDeque<u32> = VecDeque::new();
        let mut looks = 0usize;
        while !waiting.is_empty() {
            self.renew_outdated(&waiting, listener)?;
            bidders.extend(waiting.drain(..));
            while let Some(row) = bidders.pop_front() {
                let choice = self.choice(row);
                match choice.value > self.beyond[row as usize] {
                    true => waiting.push(row),
                    false => bidders.extend(self.bid(row, &choice, epsilon)),
                }
                looks += 1;
                let interrupted = looks.is_multiple_of(LOOKS) && listener.interrupted();
                if interrupted || self.bids > patience {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Renews the candidates of those of `rows` to which something off the list may be cheaper
    /// than all on it.
    fn renew_outdated(&mut self, rows: &[u32], listener: &dyn Listener) -> Option<()> {
        let is_outdated = |&row: &u32| self.choice(row).value > self.beyond[row as usize];
        let outdated: Vec<u32> = rows.iter().copied().filter(is_outdated).collect();
        self.renew(&outdated, listener)
    }

    /// `row` takes its best class; gives the row that loses it.
    fn bid(&mut self, row: u32, choice: &Choice, epsilon: f64) -> Option<u32> {
        self.bids += 1;
        let better = choice.next - choice.value;
        let raise = if better.is_finite() { better + epsilon } else { epsilon };
        self.class[row as usize] = choice.class;
        let loser = self.units.sell(choice.class, row, raise)?;
        self.class[loser as usize] = NONE;
        Some(loser)
    }

    /// The assignment, and the most that its total exceeds the least one by.
    ///
    /// For any prices p >= 0 no assignment costs less than the sum over rows of the least cost
    /// plus price, minus the sum of all prices. Here every unit that has a price has a row, so
    /// that this is the total minus what each row pays above its least.
    fn bargain(&mut self, listener: &dyn Listener) -> Option<Bargain> {
        let rows = self.all_rows();
        self.renew_outdated(&rows, listener)?;
        let above = |&row: &u32| (self.pays(row) - self.choice(row).value).max(0.0);
        Some(Bargain {
            excess: rows.iter().map(above).sum(),
            cost: rows.iter().map(|&row| self.cost(row, self.class[row as usize])).collect(),
            class: self.class.clone(),
        })
    }
}

impl Market<'_> {
    fn distance(&self, row: u32, class: u32) -> f64 {
        let leaves = self.tree.leaves();
        let query: Vec<f64> = self.queries.iter().map(|c| c[row as usize]).collect();
        leaves.geometry().distance(&query, &self.point(class))
    }

    fn point(&self, class: u32) -> Vec<f64> {
        self.points.iter().map(|c| c[class as usize]).collect()
    }
}

/// The units of all classes, each with its price and the row that has it.
///
/// Those of a class are a heap with the least price first: the price of the class.
struct Units {
    /// The price of each class.
    prices: Vec<f64>,
    /// The first unit of each class, and the number of units at the end.
    first: Vec<usize>,
    /// The price of each unit and the row that has it, or [`NONE`].
    held: Vec<(f64, u32)>,
}

impl Units {
    fn new(capacity: &[u32]) -> Self {
        let mut first = vec![0];
        first.extend(capacity.iter().scan(0, |sum, &units| {
            *sum += units as usize;
            Some(*sum)
        }));
        let units = first[capacity.len()];
        Self { prices: vec![0.0; capacity.len()], first, held: vec![(0.0, NONE); units] }
    }

    fn of(&mut self, class: u32) -> &mut [(f64, u32)] {
        let class = class as usize;
        &mut self.held[self.first[class]..self.first[class + 1]]
    }

    /// Gives the cheapest unit of `class` to `row` for `raise` more; gives who had it.
    fn sell(&mut self, class: u32, row: u32, raise: f64) -> Option<u32> {
        let units = self.of(class);
        let (price, loser) = units[0];
        units[0] = (price + raise, row);
        sift_down(units);
        self.prices[class as usize] = self.of(class)[0].0;
        (loser != NONE).then_some(loser)
    }

    /// All units of a class cost what its cheapest does; those of rows without a class in
    /// `class` are free, and come first.
    fn settle(&mut self, class: &[u32]) {
        for (number, price) in self.prices.iter().enumerate() {
            let units = &mut self.held[self.first[number]..self.first[number + 1]];
            for (unit_price, owner) in units.iter_mut() {
                *unit_price = *price;
                if *owner != NONE && class[*owner as usize] == NONE {
                    *owner = NONE;
                }
            }
            units.sort_unstable_by_key(|(_, owner)| *owner != NONE);
        }
    }
}

/// Restores the order of a heap whose first place has become dearer.
fn sift_down(heap: &mut [(f64, u32)]) {
    let mut place = 0;
    loop {
        let children = (2 * place + 1)..(2 * place + 3).min(heap.len());
        let Some(cheaper) = children.min_by(|&a, &b| heap[a].0.total_cmp(&heap[b].0)) else {
            return;
        };
        if heap[cheaper].0 >= heap[place].0 {
            return;
        }
        heap.swap(place, cheaper);
        place = cheaper;
    }
}
