//! Certificates by whoever wants to be believed: proofs of all kinds of steps that were never
//! searched for, and files made to break the checker.

use crate::certificates::{Decoded, mutations, plain};
use crate::common::{GainInstance, Instance};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use unmask_solvers::certificate::{
    Case, CertificateError, Claim, Conflict, Cut, Edge, End, Node, Proven, RowName, Step, verify,
};

/// Bounds of boxes are whole numbers over this.
const ONE: i64 = 1 << 6;

/// A box, and what a prover knows about it.
#[derive(Clone)]
struct Place {
    low: Vec<i64>,
    high: Vec<i64>,
    usable: u64,
    dead: BTreeSet<u32>,
    pairs: BTreeSet<(u32, u32)>,
    depth: u32,
}

impl Place {
    fn root(weights: usize, largest: usize, depth: u32) -> Self {
        let mut low = vec![0; weights];
        low[largest] = ONE;
        let (dead, pairs) = Default::default();
        Self { low, high: vec![ONE; weights], usable: u64::MAX, dead, pairs, depth }
    }

    /// Largest value of rows times multipliers.
    fn largest(&self, terms: &[(&[i64], i64)]) -> i64 {
        let mixed = |k: usize| terms.iter().map(|(row, m)| row[k] * m).sum::<i64>();
        let edge = |k: usize, x: i64| if x > 0 { self.high[k] } else { self.low[k] };
        (0..self.low.len()).map(|k| mixed(k) * edge(k, mixed(k))).sum()
    }

    fn is_empty(&self) -> bool {
        self.low.iter().zip(&self.high).any(|(low, high)| low > high)
    }

    fn excludes(&self, a: u32, b: u32) -> bool {
        let dead = self.dead.contains(&a) || self.dead.contains(&b);
        dead || self.pairs.contains(&(a.min(b), a.max(b)))
    }
}

fn edge(at: i64) -> Edge {
    Edge::of(at as f64, -6)
}

/// Writes proofs of steps drawn at random, each of them sound as far as it knows.
struct Prover<'a> {
    instance: &'a GainInstance,
    goal: u64,
    random: ChaCha8Rng,
    /// Boxes to come back to.
    open: Vec<(u64, Place)>,
    next: u64,
}

impl Prover<'_> {
    fn proof(&mut self, depth: u32) -> Vec<(Step, Vec<Node>)> {
        let mut steps = Vec::new();
        self.roots(depth);
        while let Some(at) = (0..self.open.len()).collect::<Vec<_>>().choose(&mut self.random) {
            if steps.len() < 40 && self.random.random_ratio(1, 40) {
                steps.push((Step::StartAgain, Vec::new()));
                self.roots(depth);
                continue;
            }
            let (number, place) = self.open.swap_remove(*at);
            let mut nodes = Vec::new();
            self.tree(place, &mut nodes);
            steps.push((Step::Tree(number), nodes));
        }
        steps
    }

    fn roots(&mut self, depth: u32) {
        let weights = self.instance.instance.dimension;
        self.open =
            (self.next..).zip((0..weights).map(|k| Place::root(weights, k, depth))).collect();
        self.next += weights as u64;
    }

    fn rows(&self, usable: u64) -> Vec<(RowName, Vec<i64>)> {
        let blocks = (0..).zip(&self.instance.instance.blocks);
        let rows = blocks.flat_map(|(block, rows)| {
            let named = (0..).zip(rows);
            named.map(move |(name, row)| (RowName { block, name }, row.clone()))
        });
        rows.filter(|(_, row)| row.iter().enumerate().all(|(k, x)| *x == 0 || usable >> k & 1 == 1))
            .collect()
    }

    /// One row for each block that dies.
    fn deaths(&self, place: &Place) -> Vec<RowName> {
        let mut found: Vec<RowName> = Vec::new();
        for (name, row) in self.rows(place.usable) {
            let known = place.dead.contains(&name.block);
            let known = known || found.iter().any(|f| f.block == name.block);
            if !known && place.largest(&[(&row, 1)]) <= 0 {
                found.push(name);
            }
        }
        found
    }

    fn conflicts(&mut self, place: &Place) -> Vec<Conflict> {
        let rows = self.rows(place.usable);
        let mut found = Vec::new();
        for _ in 0..200 {
            let size = self.random.random_range(2..=3);
            let chosen: Vec<_> = rows.sample(&mut self.random, size).collect();
            let multipliers: Vec<i64> =
                chosen.iter().map(|_| self.random.random_range(1..=3)).collect();
            let terms: Vec<(&[i64], i64)> =
                chosen.iter().zip(&multipliers).map(|((_, row), m)| (&row[..], *m)).collect();
            if !chosen.is_empty() && place.largest(&terms) <= 0 && found.len() < 16 {
                let named = chosen.iter().zip(&multipliers);
                found.push(named.map(|((name, _), m)| (*name, (*m as u64).into())).collect());
            }
        }
        found
    }

    /// A clique of blocks that are not taken, from the first of a random order.
    fn groups(&mut self, place: &Place, taken: &BTreeSet<u32>) -> Vec<Vec<u32>> {
        let blocks = 0..self.instance.gains.len() as u32;
        let mut left: Vec<u32> = blocks.filter(|b| !taken.contains(b)).collect();
        left.shuffle(&mut self.random);
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for block in left {
            let fits = |group: &&mut Vec<u32>| group.iter().all(|b| place.excludes(*b, block));
            match groups.iter_mut().find(fits) {
                Some(group) => group.push(block),
                None => groups.push(vec![block]),
            }
        }
        groups
    }

    /// Shares that blocks can bear, and the blocks that do.
    fn shares(&mut self, conflicts: &[Conflict]) -> ((u64, Vec<u64>), BTreeSet<u32>) {
        let denominator = *[1, 2, 3, 6, 1 << 40, u64::MAX].choose(&mut self.random).unwrap();
        let bears = |gain: &u64| u128::from(*gain) * u128::from(denominator);
        let mut left: Vec<u128> = self.instance.gains.iter().map(bears).collect();
        let mut loaded = BTreeSet::new();
        let mut share = |conflict: &Conflict| {
            let blocks: BTreeSet<u32> = conflict.iter().map(|row| row.0.block).collect();
            let most = blocks.iter().map(|b| left[*b as usize]).min().unwrap();
            let share = (most / self.random.random_range(1..=2)).min(u64::MAX.into());
            blocks.iter().for_each(|b| left[*b as usize] -= share);
            loaded.extend(blocks.iter().filter(|_| share > 0));
            share as u64
        };
        let numerators = conflicts.iter().map(&mut share).collect();
        ((denominator, numerators), loaded)
    }

    fn gain<'b>(&self, blocks: impl IntoIterator<Item = &'b u32>) -> u64 {
        blocks.into_iter().map(|b| self.instance.gains[*b as usize]).sum()
    }

    fn tree(&mut self, mut place: Place, nodes: &mut Vec<Node>) {
        let mut node = Node { deaths: self.deaths(&place), ..Node::default() };
        place.dead.extend(node.deaths.iter().map(|row| row.block));
        if self.random.random_ratio(2, 3) {
            node.conflicts = self.conflicts(&place);
        }
        for conflict in &node.conflicts {
            let blocks: Vec<u32> = conflict.iter().map(|row| row.0.block).collect();
            let blocks: Vec<u32> = BTreeSet::from_iter(blocks).into_iter().collect();
            match blocks[..] {
                [one] => drop(place.dead.insert(one)),
                [a, b] => drop(place.pairs.insert((a, b))),
                _ => {}
            }
        }
        let mut taken = BTreeSet::new();
        if self.random.random_ratio(1, 3) {
            let (shares, loaded) = self.shares(&node.conflicts);
            (node.shares, taken) = (Some(shares), loaded);
        }
        if self.random.random_ratio(1, 2) {
            node.groups = self.groups(&place, &taken);
        }
        for _ in 0..self.random.random_range(0..3) {
            node.cuts.extend(self.cut(&mut place));
        }
        node.end = self.end(&place, &node.conflicts);
        let end = node.end.clone();
        nodes.push(node);
        self.follow(place, &end, nodes);
    }

    fn follow(&mut self, mut place: Place, end: &End, nodes: &mut Vec<Node>) {
        place.depth = place.depth.saturating_sub(1);
        match end {
            End::Leaf | End::Cases(_) => {}
            End::Open => {
                self.open.push((self.next, place));
                self.next += 1;
            }
            End::Again => self.tree(place, nodes),
            End::Split { weight, at, upper_first } => {
                let at = (at.mantissa as i64) << (at.exponent + 6);
                let (mut lower, mut upper) = (place.clone(), place);
                lower.high[*weight as usize] = at;
                upper.low[*weight as usize] = at;
                let order = if *upper_first { [upper, lower] } else { [lower, upper] };
                order.into_iter().for_each(|part| self.tree(part, nodes));
            }
            End::Faces(weights) => {
                for k in (0..place.low.len()).rev().filter(|k| weights >> k & 1 == 1) {
                    let mut face = place.clone();
                    face.usable &= weights;
                    face.low[k] = place.high[k];
                    self.tree(face, nodes);
                }
            }
        }
    }

    /// A strip that deaths alone close, or one beyond the box.
    fn cut(&mut self, place: &mut Place) -> Option<Cut> {
        let weight = self.random.random_range(0..place.low.len());
        let upper = self.random.random();
        let at = self.random.random_range(0..=ONE + 2);
        let mut strip = place.clone();
        match upper {
            true => strip.low[weight] = at,
            false => strip.high[weight] = at,
        }
        let deaths = self.deaths(&strip);
        strip.dead.extend(deaths.iter().map(|row| row.block));
        (self.gain(&strip.dead) >= self.goal).then(|| {
            match upper {
                true => place.high[weight] = at,
                false => place.low[weight] = at,
            }
            Cut { weight: weight as u32, upper, at: edge(at), deaths }
        })
    }

    fn end(&mut self, place: &Place, conflicts: &[Conflict]) -> End {
        if self.gain(&place.dead) >= self.goal || place.is_empty() || place.depth == 0 {
            return match self.random.random_ratio(1, 2) {
                true => End::Cases(self.case(conflicts, &place.dead, &BTreeSet::new(), 8)),
                false => End::Leaf,
            };
        }
        let weights = 0..place.low.len();
        match self.random.random_range(0..12) {
            0 => End::Open,
            1 => End::Again,
            2 | 3 => {
                let zero = weights.filter(|k| place.low[*k] == 0);
                let chosen = zero.filter(|_| self.random.random_ratio(3, 4));
                match chosen.map(|k| 1 << k).sum() {
                    0 => End::Again,
                    weights => End::Faces(weights),
                }
            }
            _ => {
                let wide = |k: &usize| place.high[*k] - place.low[*k];
                let widest = weights.clone().max_by_key(wide).unwrap();
                let any = self.random.random_range(weights);
                let weight = if self.random.random_ratio(5, 6) { widest } else { any };
                let middle = (place.low[weight] + place.high[weight]) / 2;
                let anywhere = self.random.random_range(0..=ONE + 2);
                let at = if self.random.random_ratio(9, 10) { middle } else { anywhere };
                let upper_first = self.random.random();
                End::Split { weight: weight as u32, at: edge(at), upper_first }
            }
        }
    }

    fn case(
        &mut self,
        conflicts: &[Conflict],
        violated: &BTreeSet<u32>,
        held: &BTreeSet<u32>,
        depth: u32,
    ) -> Case {
        let new = |c: &&Conflict| c.iter().all(|row| !violated.contains(&row.0.block));
        let usable: Vec<&Conflict> = conflicts.iter().filter(new).collect();
        let chosen = usable.choose(&mut self.random).copied();
        let Some(conflict) = chosen.filter(|_| depth > 0 && self.gain(violated) < self.goal) else {
            return Case::default();
        };
        let blocks: BTreeSet<u32> = conflict.iter().map(|row| row.0.block).collect();
        let mut open: Vec<u32> = blocks.difference(held).copied().collect();
        open.shuffle(&mut self.random);
        let (mut held, mut branches) = (held.clone(), Vec::new());
        for block in open {
            let mut violated = violated.clone();
            violated.insert(block);
            branches.push((block, self.case(conflicts, &violated, &held, depth - 1)));
            held.insert(block);
        }
        Case { conflict: conflict.clone(), branches }
    }
}

/// A few blocks that exclude each other in many ways.
fn made(random: &mut ChaCha8Rng) -> GainInstance {
    let dimension = random.random_range(2..=3);
    let blocks = random.random_range(3..=7);
    let entries = [-2, -1, -1, 0, 0, 1, 2, 4];
    let mut row = || (0..dimension).map(|_| *entries.choose(random).unwrap()).collect();
    let blocks: Vec<Vec<Vec<i64>>> =
        (0..blocks).map(|i| (0..1 + i % 2).map(|_| row()).collect()).collect();
    let few = [[1, 1, 1], [2, 4, 6], [3, 4, 12], [1, 2, 5]];
    let few = few.choose(random).unwrap();
    let gains = blocks.iter().map(|_| *few.choose(random).unwrap()).collect();
    GainInstance { instance: Instance { dimension, blocks }, gains }
}

/// A certificate of a proof drawn at random.
fn drawn(instance: &GainInstance, goal: u64, seed: u64) -> Decoded {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let ones = vec![1; instance.instance.dimension];
    let mut dead = Vec::new();
    for (block, rows) in (0..).zip(&instance.instance.blocks) {
        let fails = (0..).zip(rows).find(|(_, row)| row.iter().all(|x| *x <= 0));
        let noted = fails.filter(|_| random.random_ratio(2, 3));
        dead.extend(noted.map(|(name, _)| RowName { block, name }));
    }
    let claim = Claim {
        recipe: "a test".into(),
        blocks: instance.gains.len() as u64,
        total_gain: instance.gains.iter().sum(),
        bound: goal,
        weights: vec![1.0; instance.instance.dimension],
        found: instance.gain(&ones),
        dead,
    };
    let mut prover = Prover { instance, goal, random, open: Vec::new(), next: 0 };
    Decoded { claim, steps: prover.proof(8) }
}

/// Of proofs of what is true some are confirmed, of proofs of more none.
fn proofs(rounds: u64) -> usize {
    let mut confirmed = 0;
    for seed in 0..rounds {
        let instance = made(&mut ChaCha8Rng::seed_from_u64(seed));
        let violated = instance.gains.iter().sum::<u64>() - instance.optimum();
        let proven = verify(&drawn(&instance, violated, seed).encode()[..], &instance);
        confirmed += usize::from(proven.is_ok());
        for more in 1..=2 {
            let bolder = drawn(&instance, violated + more, seed);
            let proven = verify(&bolder.encode()[..], &instance);
            assert!(proven.is_err(), "seed {seed} proves {more} more: {instance:?}");
        }
    }
    confirmed
}

#[test]
fn proofs_drawn_at_random_prove_nothing_false() {
    let confirmed = proofs(60);
    assert!(confirmed > 20, "{confirmed} confirmed");
}

/// Blocks with a proof drawn at random that is confirmed.
fn confirmed(random: &mut ChaCha8Rng) -> (GainInstance, Vec<u8>) {
    loop {
        let instance = made(random);
        let violated = instance.gains.iter().sum::<u64>() - instance.optimum();
        let file = drawn(&instance, violated, random.random()).encode();
        if verify(&file[..], &instance).is_ok() {
            return (instance, file);
        }
    }
}

#[test]
fn changed_proofs_drawn_at_random_are_refused_or_still_true() {
    let (refused, accepted) = mutations(40, 25, confirmed);
    assert!(refused > 200 && accepted > 50, "{refused} refused, {accepted} accepted");
}

#[test]
#[ignore = "takes long: many proofs"]
fn many_proofs_drawn_at_random_prove_nothing_false() {
    proofs(10_000);
    mutations(1000, 100, confirmed);
}

/// Two blocks that exclude each other, and a claim that any weights violate `bound` of them, by
/// these nodes below the roots.
fn opposites_by(bound: u64, nodes: [Vec<Node>; 2]) -> Result<Proven, CertificateError> {
    let blocks = vec![vec![vec![1, -1]], vec![vec![-1, 1]]];
    let instance = plain(&Instance { dimension: 2, blocks });
    let claim = Claim {
        recipe: "a test".into(),
        blocks: 2,
        total_gain: 2,
        bound,
        weights: vec![1.0, 0.0],
        found: 1,
        dead: Vec::new(),
    };
    let steps = [0, 1].map(Step::Tree).into_iter().zip(nodes).collect();
    verify(&Decoded { claim, steps }.encode()[..], &instance)
}

/// The same with `nodes` below each root.
fn opposites(bound: u64, nodes: &[Node]) -> Result<Proven, CertificateError> {
    opposites_by(bound, [nodes.to_vec(), nodes.to_vec()])
}

/// That the two blocks exclude each other.
fn exclusion() -> Conflict {
    [0, 1].map(|block| (RowName { block, name: 0 }, 1u8.into())).to_vec()
}

#[test]
fn bounds_of_any_exponent_are_refused_or_compared() {
    for exponent in [i64::MIN, i64::MIN + 1, -(1 << 16) - 1, -(1 << 16), 1 << 16, i64::MAX] {
        for mantissa in [0, 1, u64::MAX] {
            let at = Edge { mantissa, exponent };
            let cut = Cut { weight: 1, upper: false, at, deaths: Vec::new() };
            let cut = Node { cuts: vec![cut], ..Node::default() };
            let split = End::Split { weight: 1, at, upper_first: false };
            let split = Node { end: split, ..Node::default() };
            assert!(opposites(2, &[cut]).is_err());
            assert!(opposites(2, &[split, Node::default(), Node::default()]).is_err());
        }
    }
}

#[test]
fn boxes_within_boxes_take_no_stack() {
    let again = Node { conflicts: vec![exclusion()], end: End::Again, ..Node::default() };
    let mut nodes = vec![again; 100_000];
    nodes.push(Node::default());
    let refused = opposites(2, &nodes).unwrap_err();
    assert!(matches!(refused, CertificateError::Refused { node: 100_001, .. }), "{refused}");
}

#[test]
fn small_files_unpack_to_little() {
    let conflicts = vec![exclusion(); 1 << 19];
    let refused = opposites(2, &[Node { conflicts, ..Node::default() }]).unwrap_err();
    assert!(refused.to_string().contains("unpacks to far more than its size"), "{refused}");
}

#[test]
fn cases_within_cases_are_checked_up_to_a_depth() {
    let nested = |depth: u32| {
        let deeper = |case: Case, _: u32| {
            let branches = vec![(0, case), (1, Case::default())];
            Case { conflict: exclusion(), branches }
        };
        let case = (0..depth).fold(Case::default(), deeper);
        opposites(2, &[Node { end: End::Cases(case), ..Node::default() }]).unwrap_err()
    };
    assert!(matches!(nested(512), CertificateError::Refused { node: 1, .. }));
    assert!(matches!(nested(513), CertificateError::Malformed(_)));
}

#[test]
fn nothing_is_counted_twice() {
    let conflicts = vec![exclusion()];
    let group = vec![vec![0, 1]];
    let shares = Some((1, vec![1]));
    let known = Node { conflicts: conflicts.clone(), end: End::Again, ..Node::default() };
    let grouped = Node { groups: group.clone(), ..Node::default() };
    let case = |first: Case, second: Case| {
        let branches = vec![(0, first), (1, second)];
        End::Cases(Case { conflict: exclusion(), branches })
    };
    let sound = [
        vec![Node { conflicts: conflicts.clone(), ..Node::default() }],
        vec![Node { conflicts: vec![exclusion(), exclusion()], ..Node::default() }],
        vec![Node { conflicts: conflicts.clone(), groups: group.clone(), ..Node::default() }],
        vec![Node { conflicts: conflicts.clone(), shares: shares.clone(), ..Node::default() }],
        vec![known.clone(), grouped.clone()],
        vec![
            known.clone(),
            known.clone(),
            Node { conflicts: conflicts.clone(), ..grouped.clone() },
        ],
        vec![Node { end: case(Case::default(), Case::default()), ..Node::default() }],
    ];
    for nodes in sound {
        assert!(opposites(1, &nodes).is_ok(), "{nodes:?}");
        assert!(opposites(2, &nodes).is_err(), "{nodes:?}");
    }
    let twice = Some((1, vec![1, 1]));
    let branches = |blocks: &[u32]| Case {
        conflict: exclusion(),
        branches: blocks.iter().map(|b| (*b, Case::default())).collect(),
    };
    let unsound = [
        Node { conflicts: vec![exclusion(), exclusion()], shares: twice, ..Node::default() },
        Node { conflicts: conflicts.clone(), shares: Some((0, vec![1])), ..Node::default() },
        Node { conflicts: conflicts.clone(), shares, groups: group.clone(), ..Node::default() },
        Node { conflicts: conflicts.clone(), groups: vec![vec![0, 1, 0]], ..Node::default() },
        Node {
            conflicts: conflicts.clone(),
            groups: [group.clone(), group].concat(),
            ..Node::default()
        },
        Node { end: End::Cases(branches(&[0])), ..Node::default() },
        Node { end: End::Cases(branches(&[0, 0])), ..Node::default() },
        Node { end: case(branches(&[1]), branches(&[])), ..Node::default() },
        grouped,
    ];
    for node in unsound {
        assert!(opposites(1, std::slice::from_ref(&node)).is_err(), "{node:?}");
    }
}

/// At equal weights neither block is satisfied, and the faces are there.
#[test]
fn rows_with_entries_outside_a_face_prove_nothing_in_it() {
    let deaths = [0, 1].map(|block| RowName { block, name: 0 }).to_vec();
    let face = |weight: u32| {
        let faces = Node { end: End::Faces(1 << weight), ..Node::default() };
        vec![faces, Node { deaths: deaths.clone(), ..Node::default() }]
    };
    let refused = opposites_by(2, [face(1), face(0)]).unwrap_err().to_string();
    assert!(refused.contains("outside the face"), "{refused}");
}
