//! ANALYZE_SET: the patterns of one set of records.

use super::coded::Tuples;
use super::pattern::{INDIFFERENT, UNKNOWN};
use super::{Condition, Unknown};
use std::collections::HashMap;
use std::rc::Rc;

/// What one analysis looks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternSearch {
    /// Fewest records of a pattern.
    pub k: usize,
    /// Which attributes divide a set.
    pub condition: Condition,
    /// Fewest values of a pattern that are not indifferent.
    pub length: usize,
    /// What an unknown value equals.
    pub unknown: Unknown,
}

/// A pattern and the records it was made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The common values.
    pub values: Vec<u32>,
    /// The tuples that have them.
    pub members: Vec<u32>,
    /// How often the published recursion adds the pattern to its list.
    pub repetitions: u64,
}

/// A set of records given by conditions (attribute, value), each a number of its own.
struct Set {
    state: u32,
    conditions: Rc<Vec<u32>>,
    members: Rc<Vec<u32>>,
}

enum Task {
    Visit(Set),
    Divide(Set, usize),
}

/// The recursion of Fig. 4 as a list of tasks, every set of conditions once.
///
/// The sets that the recursion reaches depend on their conditions alone and not
/// on the order in which they were imposed, so each is analyzed once. The
/// recursion would analyze it once per order that leads to it; `paths` counts them.
struct Analysis<'a> {
    search: PatternSearch,
    tuples: &'a Tuples,
    /// The number of each attribute's first value.
    offsets: Vec<u32>,
    states: HashMap<Rc<Vec<u32>>, u32>,
    /// Number of conditions and parents of each state.
    depths: Vec<u32>,
    edges: Vec<(u32, u32)>,
    found: Vec<(u32, Found)>,
    /// When a value was last seen, and the present time.
    last_seen: Vec<u32>,
    now: u32,
}

/// The patterns of the set `members` of `tuples`; a pattern that several sets of conditions
/// lead to comes once.
///
/// Cost: O(sets of at least k records, times their size, times the number of attributes).
pub(super) fn analyze_set(search: PatternSearch, tuples: &Tuples, members: Vec<u32>) -> Vec<Found> {
    if tuples.weight(&members) < search.k {
        return Vec::new();
    }
    let mut analysis = Analysis::new(search, tuples);
    analysis.run(members);
    analysis.patterns()
}

/// How the values of one attribute lie in a set.
#[derive(Debug, Clone, Copy, Default)]
struct AttributeProfile {
    /// Different known values.
    known: usize,
    /// Records whose value is unknown.
    unknown: usize,
    /// One of the known values.
    value: u32,
}

impl AttributeProfile {
    /// The value all records share, if they do.
    fn constant(&self, unknown: Unknown) -> Option<u32> {
        let one_known = (self.known == 1).then_some(self.value);
        match unknown {
            Unknown::OwnValue if self.known == 0 => Some(UNKNOWN),
            Unknown::OwnValue | Unknown::NeverEqual => one_known.filter(|_| self.unknown == 0),
            Unknown::Wildcard => one_known,
        }
    }

    /// Number of sets that the attribute divides the set into.
    fn parts(&self, unknown: Unknown) -> usize {
        match unknown {
            Unknown::OwnValue => self.known + usize::from(self.unknown > 0),
            Unknown::NeverEqual => self.known + self.unknown,
            Unknown::Wildcard => self.known,
        }
    }
}

impl<'a> Analysis<'a> {
    fn new(search: PatternSearch, tuples: &'a Tuples) -> Self {
        let mut offsets = Vec::with_capacity(tuples.domains.len());
        let values = tuples.domains.iter().fold(0, |sum, domain| {
            offsets.push(sum);
            sum + domain
        });
        Self {
            search,
            tuples,
            offsets,
            states: HashMap::new(),
            depths: Vec::new(),
            edges: Vec::new(),
            found: Vec::new(),
            last_seen: vec![0; values as usize],
            now: 0,
        }
    }

    fn run(&mut self, members: Vec<u32>) {
        let (state, conditions) = (0, Rc::default());
        self.states.insert(Rc::clone(&conditions), state);
        self.depths.push(0);
        let mut tasks = vec![Task::Visit(Set { state, conditions, members: Rc::new(members) })];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(set) => self.visit(set, &mut tasks),
                Task::Divide(set, attribute) => self.divide(&set, attribute, &mut tasks),
            }
        }
    }

    /// Adds the pattern of `set`, or else tasks that divide it.
    fn visit(&mut self, set: Set, tasks: &mut Vec<Task>) {
        let profiles = self.profiles(&set.members);
        let unknown = self.search.unknown;
        let values: Vec<u32> =
            profiles.iter().map(|p| p.constant(unknown).unwrap_or(INDIFFERENT)).collect();
        if values.len() - super::pattern::indifferent(&values) >= self.search.length {
            let members = Rc::unwrap_or_clone(set.members);
            self.found.push((set.state, Found { values, members, repetitions: 0 }));
            return;
        }
        let parts = |a: &usize| profiles[*a].parts(unknown);
        let open = || (0..values.len()).filter(|&a| values[a] == INDIFFERENT && parts(&a) > 0);
        let best = match self.search.condition {
            Condition::Fewest => open().map(|a| parts(&a)).min(),
            Condition::Most => open().map(|a| parts(&a)).max(),
        };
        for attribute in open().filter(|a| Some(parts(a)) == best) {
            let (conditions, members) = (Rc::clone(&set.conditions), Rc::clone(&set.members));
            tasks.push(Task::Divide(Set { state: set.state, conditions, members }, attribute));
        }
    }

    fn profiles(&mut self, members: &[u32]) -> Vec<AttributeProfile> {
        let mut profiles = vec![AttributeProfile::default(); self.offsets.len()];
        self.now += 1;
        for &t in members {
            let attributes = profiles.iter_mut().zip(&self.offsets).zip(self.tuples.codes(t));
            for ((profile, offset), &code) in attributes {
                let seen = &mut self.last_seen[(offset + code) as usize];
                if code == UNKNOWN {
                    profile.unknown += self.tuples.weights[t as usize] as usize;
                } else if *seen != self.now {
                    *seen = self.now;
                    profile.known += 1;
                    profile.value = code;
                }
            }
        }
        profiles
    }

    /// Adds tasks for the parts of `set` by `attribute` that hold k records and are new.
    fn divide(&mut self, set: &Set, attribute: usize, tasks: &mut Vec<Task>) {
        let code = |t: &u32| self.tuples.codes(*t)[attribute];
        let mut members = set.members.to_vec();
        members.sort_by_key(code);
        let unknown = members.iter().take_while(|t| code(t) == UNKNOWN).count();
        let (unknown, known) = members.split_at(unknown);
        let own = Some(unknown).filter(|_| self.search.unknown == Unknown::OwnValue);
        let joined = Some(unknown).filter(|_| self.search.unknown == Unknown::Wildcard);
        let parts: Vec<Vec<u32>> = known
            .chunk_by(|a, b| code(a) == code(b))
            .map(|part| [part, joined.unwrap_or_default()].concat())
            .chain(own.map(<[u32]>::to_vec))
            .filter(|part| self.tuples.weight(part) >= self.search.k)
            .collect();
        for part in parts {
            // The first member of a part has its value; unknown ones are joined behind.
            let value = part.first().map_or(UNKNOWN, |t| self.tuples.codes(*t)[attribute]);
            self.reach(set, self.offsets[attribute] + value, part, tasks);
        }
    }

    /// Adds a task for the set with one more condition, unless it was reached before.
    fn reach(&mut self, parent: &Set, condition: u32, members: Vec<u32>, tasks: &mut Vec<Task>) {
        let mut conditions = parent.conditions.to_vec();
        let place = conditions.partition_point(|c| *c < condition);
        conditions.insert(place, condition);
        let next = self.depths.len() as u32;
        if let Some(&state) = self.states.get(&conditions) {
            self.edges.push((parent.state, state));
            return;
        }
        let conditions = Rc::new(conditions);
        self.states.insert(Rc::clone(&conditions), next);
        self.depths.push(conditions.len() as u32);
        self.edges.push((parent.state, next));
        tasks.push(Task::Visit(Set { state: next, conditions, members: Rc::new(members) }));
    }

    /// In how many orders the recursion imposes the conditions of each state.
    fn paths(&mut self) -> Vec<u64> {
        let depths = &self.depths;
        self.edges.sort_by_key(|(parent, _)| depths[*parent as usize]);
        let mut paths = vec![0u64; depths.len()];
        paths[0] = 1;
        for &(parent, child) in &self.edges {
            paths[child as usize] = paths[child as usize].saturating_add(paths[parent as usize]);
        }
        paths
    }

    /// Equal patterns together, by their values.
    fn patterns(mut self) -> Vec<Found> {
        let paths = self.paths();
        let mut patterns: Vec<Found> = self
            .found
            .into_iter()
            .map(|(state, found)| Found { repetitions: paths[state as usize], ..found })
            .collect();
        patterns.sort_by(|a, b| a.values.cmp(&b.values));
        patterns.dedup_by(|later, first| {
            let same = later.values == first.values;
            if same {
                first.repetitions = first.repetitions.saturating_add(later.repetitions);
            }
            same
        });
        patterns
    }
}
