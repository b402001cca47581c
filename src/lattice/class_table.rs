//! The classes of a node as a sorted table of keys and counts, and how it is rolled up.

use super::key::{Field, Key};

/// Some records that agree on every code of a key, and how many they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<K> {
    pub key: K,
    pub count: u32,
}

/// Entries by ascending key, each key once.
pub(super) type ClassTable<K> = Vec<Entry<K>>;

/// The table of records with these keys. Cost: O(n log n).
pub(super) fn count<K: Key>(keys: impl IntoIterator<Item = K>) -> ClassTable<K> {
    let mut table: Vec<Entry<K>> = keys.into_iter().map(|key| Entry { key, count: 1 }).collect();
    merge_from(&mut table, 0);
    table
}

/// Replaces the codes in `field` of `from` by `up`, into `to`.
///
/// `up` does not decrease, so entries that become equal agree on all fields before `field`
/// and lie in one block: only blocks are sorted, and none when `is_last`, that is, when no
/// field after this one has a code. Cost: linear when `is_last`, else O(n log b) with blocks of b.
pub(super) fn roll_up<K: Key>(
    from: &[Entry<K>],
    field: Field,
    up: &[u32],
    is_last: bool,
    to: &mut ClassTable<K>,
) {
    to.clear();
    match is_last {
        true => from.iter().for_each(|entry| push(to, raised(entry, field, up))),
        false => roll_up_blocks(from, field, up, to),
    }
}

fn roll_up_blocks<K: Key>(from: &[Entry<K>], field: Field, up: &[u32], to: &mut ClassTable<K>) {
    let mut start = 0;
    for entry in from {
        let entry = raised(entry, field, up);
        let block = |key: K| (key.before(field), key.code(field));
        if to.get(start).is_some_and(|first| block(first.key) != block(entry.key)) {
            merge_from(to, start);
            start = to.len();
        }
        to.push(entry);
    }
    merge_from(to, start);
}

/// Replaces the codes of several fields at once; `maps` has the fields and what becomes of
/// their codes. Cost: O(n log n).
pub(super) fn roll_up_all<K: Key>(
    from: &[Entry<K>],
    maps: &[(Field, &[u32])],
    to: &mut ClassTable<K>,
) {
    let raise =
        |entry: &Entry<K>| maps.iter().fold(*entry, |e, (field, up)| raised(&e, *field, up));
    to.clear();
    to.extend(from.iter().map(raise));
    merge_from(to, 0);
}

fn raised<K: Key>(entry: &Entry<K>, field: Field, up: &[u32]) -> Entry<K> {
    let code = up[entry.key.code(field) as usize];
    Entry { key: entry.key.with(field, code), count: entry.count }
}

/// Adds `entry`, whose key is not below the last one.
fn push<K: Key>(table: &mut ClassTable<K>, entry: Entry<K>) {
    match table.last_mut() {
        Some(last) if last.key == entry.key => last.count += entry.count,
        _ => table.push(entry),
    }
}

/// Sorts the entries from `start` on and adds up those of one key.
fn merge_from<K: Key>(table: &mut ClassTable<K>, start: usize) {
    let Some(block) = table.get_mut(start..).filter(|block| block.len() > 1) else {
        return;
    };
    block.sort_unstable_by_key(|entry| entry.key);
    let mut last = 0;
    for i in 1..block.len() {
        if block[i].key == block[last].key {
            block[last].count += block[i].count;
        } else {
            last += 1;
            block[last] = block[i];
        }
    }
    table.truncate(start + last + 1);
}
