//! Which groups may still take a record of some levels.

/// For each label the groups that may be open to its records: all that are, and some that
/// were.
///
/// When many records are left to the end, few groups stay diverse with one more of a
/// frequent level, and to look at those takes less time than to search among all.
pub(super) struct Candidates {
    of_label: Vec<List>,
    /// The labels in whose lists each group is, a bit each.
    listed: Vec<u64>,
}

#[derive(Clone)]
struct List {
    groups: Vec<u32>,
    /// How often a long list is not looked through before it is again.
    wait: usize,
}

/// Groups that are looked through in the time of a search, roughly.
const LOOKED_THROUGH: usize = 64;

impl Candidates {
    /// Every one of so many groups for each of so many labels, at most 64.
    pub fn new(groups: usize, labels: usize) -> Self {
        let all = List { groups: (0..groups as u32).collect(), wait: 0 };
        let bits = (0..labels).fold(0, |bits, label| bits | 1 << label);
        Self { of_label: vec![all; labels], listed: vec![bits; groups] }
    }

    /// `group` has changed and may be open to records of every label.
    pub fn add(&mut self, group: usize) {
        for (label, list) in self.of_label.iter_mut().enumerate() {
            if self.listed[group] >> label & 1 == 0 {
                list.groups.push(group as u32);
            }
            self.listed[group] |= 1 << label;
        }
    }

    /// The groups that `is_open` takes, if they are at most `few` and that was worth finding out.
    pub fn few(
        &mut self,
        label: u8,
        few: usize,
        is_open: impl Fn(usize) -> bool,
    ) -> Option<&[u32]> {
        let list = &mut self.of_label[label as usize];
        if list.groups.len() > few && list.wait > 0 {
            list.wait -= 1;
            return None;
        }
        list.groups.retain(|&group| {
            let stays = is_open(group as usize);
            self.listed[group as usize] &= !(u64::from(!stays) << label);
            stays
        });
        list.wait = list.groups.len() / LOOKED_THROUGH;
        (list.groups.len() <= few).then_some(&list.groups)
    }
}
