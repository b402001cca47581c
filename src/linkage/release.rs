//! Two files whose records belong together.

use crate::dataset::{Attribute, Dataset, DefaultAttributes, ValueGroups, Values};
use crate::distance::{
    AttributeDistances, Standardization, SuppressedReading, ValueReading, check_labels,
    tells_nothing,
};
use crate::error::{Error, Result};
use crate::lattice::Hierarchy;
use crate::protection::{Protection, Recipe, Supposed, Supposition};
use crate::random::generator;
use rand::seq::index;
use std::collections::HashMap;
use std::sync::Arc;

/// The attacker's file and the released file, with the truth about which records
/// belong together.
///
/// The truth is what an attack is judged by; an attack that also uses it says so.
#[derive(Debug, Clone)]
pub struct Release {
    original: Dataset,
    released: Dataset,
    own: Vec<u32>,
    rows: Vec<u32>,
    absent: usize,
    /// The pairs that the originals were drawn from as targets, and their places there.
    drawn: Option<(Arc<Release>, Vec<u32>)>,
    /// What released cells stand for.
    reading: ValueReading,
    /// How the released file was made, where that is known.
    recipe: Option<Arc<Recipe>>,
}

impl Release {
    /// Row i of `original` belongs to row i of `released`.
    ///
    /// Fails when the files differ in length.
    pub fn by_row(original: Dataset, released: Dataset) -> Result<Self> {
        if original.records() != released.records() {
            let problem = format!(
                "{} records, but {} has {}: rows must correspond; \
                 name a common column with `key` where they do not",
                released.records(),
                original.name(),
                original.records()
            );
            return Err(Error::input(released.name(), problem));
        }
        let own: Vec<u32> = (0..original.records() as u32).collect();
        let (rows, reading) = (own.clone(), ValueReading::default());
        Ok(Self { original, released, rows, own, absent: 0, drawn: None, reading, recipe: None })
    }

    /// Records with the same value in column `key` belong together.
    ///
    /// Rows may be in any order, and either file may hold records that the other lacks: an
    /// original without a released record was suppressed, and counts as [`Release::absent`].
    /// Fails on a missing or repeated key, and when fewer than two records belong together.
    pub fn by_key(original: Dataset, released: Dataset, key: &str) -> Result<Self> {
        let places = key_places(&released, key)?;
        key_places(&original, key)?;
        let found = keys(&original, key)?;
        let pairs = found.iter().zip(0..).filter_map(|(key, i)| Some((i, *places.get(key)?)));
        let (rows, own): (Vec<u32>, Vec<u32>) = pairs.unzip();
        if rows.len() < 2 {
            let problem = format!(
                "{} of {} keys of {} occur here; name a column that tells which records belong \
                 together",
                rows.len(),
                original.records(),
                original.name()
            );
            return Err(Error::input(format!("{}: column {key}", released.name()), problem));
        }
        let absent = original.records() - rows.len();
        let present: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
        let original = if absent == 0 { original } else { original.select(&present)? };
        let reading = ValueReading::default();
        Ok(Self { original, released, own, rows, absent, drawn: None, reading, recipe: None })
    }

    /// Original record i belongs to record `own[i]` of `released`; several may belong to one.
    pub(crate) fn by_own(original: Dataset, released: Dataset, own: Vec<u32>) -> Self {
        let rows = (0..own.len() as u32).collect();
        let reading = ValueReading::default();
        Self { original, released, own, rows, absent: 0, drawn: None, reading, recipe: None }
    }

    /// `size` of the originals, drawn without replacement, looked for in the whole released file
    /// by an attacker who measures means and standard deviations on the whole files.
    ///
    /// Fails unless 2 <= `size` <= the number of pairs.
    pub fn targets(&self, size: usize, seed: u64) -> Result<Self> {
        let drawn = self.draw_checked(size, seed)?;
        self.targets_at(&drawn)
    }

    /// As [`Release::targets`], of the originals at `places`.
    pub fn targets_at(&self, places: &[usize]) -> Result<Self> {
        let (from, within) = match &self.drawn {
            Some((from, before)) => (from.clone(), places.iter().map(|&i| before[i]).collect()),
            None => (Arc::new(self.clone()), places.iter().map(|&i| i as u32).collect()),
        };
        Ok(Self {
            original: self.original.select(places)?,
            released: self.released.clone(),
            own: places.iter().map(|&i| self.own[i]).collect(),
            rows: places.iter().map(|&i| self.rows[i]).collect(),
            absent: 0,
            drawn: Some((from, within)),
            reading: self.reading.clone(),
            recipe: self.recipe.clone(),
        })
    }

    /// The pairs that targets were drawn from; itself where none were.
    pub fn whole(&self) -> &Self {
        self.drawn.as_ref().map_or(self, |(from, _)| from)
    }

    /// The places of the originals in [`Release::whole`], where they were drawn from it.
    pub(crate) fn target_places(&self) -> Option<&[u32]> {
        self.drawn.as_ref().map(|(_, places)| places.as_slice())
    }

    /// Original records without a released one, which no attack can re-identify.
    pub fn absent(&self) -> usize {
        self.absent
    }

    /// Originals whose released record tells nothing on the attributes `names`: every cell is
    /// suppressed or missing, or stands for every value of the original.
    pub fn blank<S: AsRef<str>>(&self, names: &[S]) -> Result<usize> {
        let silent: Vec<Vec<bool>> =
            names.iter().map(|name| self.silent(name.as_ref())).collect::<Result<_>>()?;
        let is_blank = |j: &&u32| silent.iter().all(|silent| silent[**j as usize]);
        Ok(self.own.iter().filter(is_blank).count())
    }

    /// By released record: true where its cell of the attribute `name` tells nothing.
    fn silent(&self, name: &str) -> Result<Vec<bool>> {
        let Self { original, released, .. } = self.whole();
        let files = [(original, original.position(name)?), (released, released.position(name)?)];
        Ok(tells_nothing(files, &self.reading))
    }

    /// `size` of the pairs, drawn without replacement; both files hold only them.
    ///
    /// What an attack measures on the files, standard deviations for instance, it
    /// then measures on the sample. Fails unless 2 <= `size` <= the number of pairs.
    pub fn sample(&self, size: usize, seed: u64) -> Result<Self> {
        self.pairs(self.draw_checked(size, seed)?)
    }

    /// The originals of [`Release::sample`] against the whole released file: an attacker who
    /// knows only these persons, and measures standard deviations on them.
    pub fn known(&self, size: usize, seed: u64) -> Result<Self> {
        let known = self.draw_checked(size, seed)?;
        let original = self.original.select(&known)?;
        let own = known.iter().map(|&i| self.own[i]).collect();
        let rows = known.iter().map(|&i| self.rows[i]).collect();
        let (released, reading) = (self.released.clone(), self.reading.clone());
        Ok(Self { original, released, own, rows, absent: 0, drawn: None, reading, recipe: None })
    }

    fn draw_checked(&self, size: usize, seed: u64) -> Result<Vec<usize>> {
        if size < 2 || size > self.records() {
            let problem = format!(
                "but a sample of {} takes 2 to {} records",
                self.original.name(),
                self.records()
            );
            return Err(Error::parameter("sample", size, problem));
        }
        Ok(self.draw(size, seed))
    }

    /// The sample of [`Release::sample`], or all pairs when `size` is `None`, and a
    /// second sample of `other` pairs that are not in it.
    ///
    /// Without `size` the first part is what the second leaves.
    pub fn split(&self, size: Option<usize>, other: usize, seed: u64) -> Result<(Self, Self)> {
        let (first, second) = self.split_places(size, other, seed)?;
        Ok((self.pairs(first)?, self.pairs(second)?))
    }

    /// As [`Release::split`], both parts as [`Release::targets`] in the whole released file.
    pub fn split_targets(
        &self,
        size: Option<usize>,
        other: usize,
        seed: u64,
    ) -> Result<(Self, Self)> {
        let (first, second) = self.split_places(size, other, seed)?;
        Ok((self.targets_at(&first)?, self.targets_at(&second)?))
    }

    fn split_places(
        &self,
        size: Option<usize>,
        other: usize,
        seed: u64,
    ) -> Result<(Vec<usize>, Vec<usize>)> {
        let left = self.records().saturating_sub(size.unwrap_or(2));
        if other < 2 || other > left {
            let problem = format!(
                "but {} has {} records, of which {left} can be held out; 2 are needed",
                self.original.name(),
                self.records()
            );
            return Err(Error::parameter("test-sample", other, problem));
        }
        let first = match size {
            Some(size) => self.draw(size, seed),
            None => Vec::new(),
        };
        let rest: Vec<usize> =
            (0..self.records()).filter(|row| first.binary_search(row).is_err()).collect();
        let mut second: Vec<usize> = index::sample(&mut generator(seed, 1), rest.len(), other)
            .into_iter()
            .map(|i| rest[i])
            .collect();
        second.sort_unstable();
        let first = match size {
            Some(_) => first,
            None => rest.into_iter().filter(|row| second.binary_search(row).is_err()).collect(),
        };
        Ok((first, second))
    }

    /// `size` rows without replacement, ascending.
    fn draw(&self, size: usize, seed: u64) -> Vec<usize> {
        let mut rows = index::sample(&mut generator(seed, 0), self.records(), size).into_vec();
        rows.sort_unstable();
        rows
    }

    /// The pairs at `rows`.
    pub(crate) fn pairs(&self, rows: Vec<usize>) -> Result<Self> {
        let released: Vec<usize> = rows.iter().map(|&i| self.own[i] as usize).collect();
        let pairs = Self::by_row(self.original.select(&rows)?, self.released.select(&released)?)?;
        let rows = rows.iter().map(|&i| self.rows[i]).collect();
        let recipe = self.recipe.clone();
        Ok(Self { rows, reading: self.reading.clone(), recipe, ..pairs })
    }

    /// The same release to attackers who know how it was made, the seed aside.
    ///
    /// Fails where the recipe does not fit the original.
    pub fn made_by(&self, recipe: &Recipe) -> Result<Self> {
        let attributes = match recipe.attributes.as_slice() {
            [] => Protection::from(recipe.clone()).chosen(self.whole().original())?,
            named => named.to_vec(),
        };
        let known = Some(Arc::new(Recipe { attributes, seed: None, ..recipe.clone() }));
        let whole = |from: &Release| Arc::new(Self { recipe: known.clone(), ..from.clone() });
        let drawn = self.drawn.as_ref().map(|(from, places)| (whole(from), places.clone()));
        Ok(Self { recipe: known.clone(), drawn, ..self.clone() })
    }

    /// The same release to attackers who suppose to know how it was made, on the default
    /// attributes that the method takes; with what they estimated.
    ///
    /// Fails where that does not fit the files.
    pub fn supposed(&self, supposed: &Supposition) -> Result<(Self, Supposed)> {
        let whole = self.whole();
        let attributes = supposed.attributes(whole.original(), whole.released())?;
        let (recipe, told) = supposed.recipe(whole.original(), whole.released(), &attributes)?;
        Ok((self.made_by(&recipe)?, told))
    }

    /// How it was made, where that is known; without the seed.
    pub fn recipe(&self) -> Option<&Recipe> {
        self.recipe.as_deref()
    }

    /// The same release to an attacker who reads suppressed and missing cells so.
    pub fn read_as(&self, suppressed: SuppressedReading) -> Self {
        self.with_reading(ValueReading { suppressed, ..self.reading.clone() })
    }

    fn with_reading(&self, reading: ValueReading) -> Self {
        let whole = |from: &Release| Arc::new(from.with_reading(reading.clone()));
        let drawn = self.drawn.as_ref().map(|(from, places)| (whole(from), places.clone()));
        Self { drawn, reading, ..self.clone() }
    }

    /// How suppressed and missing cells are read.
    pub fn suppressed_reading(&self) -> SuppressedReading {
        self.reading.suppressed
    }

    /// The readings of suppressed and missing cells, and of those that stand for every value, under
    /// which an attacker may see different files on the attributes `names`: both, or the first
    /// alone where there are no such cells.
    pub fn readings<S: AsRef<str>>(&self, names: &[S]) -> Result<Vec<SuppressedReading>> {
        let mut both = false;
        for name in names {
            both = both || self.silent(name.as_ref())?.contains(&true);
        }
        let other = both.then_some(SuppressedReading::OwnValue);
        Ok([SuppressedReading::MatchesAll].into_iter().chain(other).collect())
    }

    /// The same release to an attacker who knows what the names in `hierarchies` stand for.
    pub fn with_hierarchies(&self, hierarchies: &[Hierarchy]) -> Self {
        let mut groups = ValueGroups::default();
        hierarchies.iter().for_each(|hierarchy| hierarchy.add_groups(&mut groups));
        self.with_reading(ValueReading { groups: Arc::new(groups), ..self.reading.clone() })
    }

    /// Fails on an attribute of `names` with a released value that the attacker could only take
    /// for one that nobody has: it is no value of the original, and in no notation that says
    /// which it stands for. An attack would count every such record as protected.
    pub fn check_labels<S: AsRef<str>>(&self, names: &[S]) -> Result<()> {
        let Self { original, released, own, .. } = self.whole();
        for position in original.positions(names)? {
            let name = &original.attributes()[position].name;
            let files = [(original, position), (released, released.position(name)?)];
            check_labels(files, own, &self.reading)?;
        }
        Ok(())
    }

    /// How far originals and released records are apart on the attributes `names`, by means and
    /// standard deviations of the whole files; fails as [`AttributeDistances::new`] does.
    pub fn distances<S: AsRef<str>>(
        &self,
        names: &[S],
        standardization: Standardization<'_>,
    ) -> Result<AttributeDistances> {
        let Self { original, released, .. } = self.whole();
        let all =
            AttributeDistances::read_as(original, released, names, standardization, &self.reading)?;
        Ok(match self.target_places() {
            Some(places) => all.of_targets(places),
            None => all,
        })
    }

    /// The attacker's file.
    pub fn original(&self) -> &Dataset {
        &self.original
    }

    /// The released file.
    pub fn released(&self) -> &Dataset {
        &self.released
    }

    /// The released record that belongs to each original record.
    pub fn own(&self) -> &[u32] {
        &self.own
    }

    /// The row of each original record in the file it was drawn from, from 0.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The same pairs; `rows[i]` is the row of original record i in its file.
    pub fn with_rows(self, rows: Vec<u32>) -> Self {
        Self { rows, ..self }
    }

    /// The value of column `key` of each original record, as text.
    pub fn keys(&self, key: &str) -> Result<Vec<String>> {
        keys(&self.original, key)
    }

    /// The released record of each original record, in the order of the original.
    pub fn released_in_order(&self) -> Result<Dataset> {
        let rows: Vec<usize> = self.own.iter().map(|&j| j as usize).collect();
        self.released.select(&rows)
    }

    /// Number of pairs, which is the number of original records.
    pub fn records(&self) -> usize {
        self.own.len()
    }

    /// The attributes that an attack uses when none are named: those of
    /// [`Dataset::default_attributes`] that both files have; `key` is never among them.
    pub fn default_attributes(&self, key: Option<&str>) -> Result<DefaultAttributes> {
        let is_common = |name: &str| self.released.position(name).is_ok();
        let usable = |a: &Attribute| Some(a.name.as_str()) != key && is_common(&a.name);
        let mut chosen = self.original.default_attributes(usable).map_err(|_| {
            let problem = format!(
                "no attribute in common with {} that could be attacked; give `rename` what columns \
                 are called there, or name attributes with `attributes`",
                self.original.name()
            );
            Error::input(self.released.name(), problem)
        })?;
        chosen.left_out.retain(|name| Some(name.as_str()) != key && is_common(name));
        Ok(chosen)
    }

    /// True when record i of the one file belongs to record i of the other, for every i.
    pub fn rows_correspond(&self) -> bool {
        let in_order = || (0u32..).zip(&self.own).all(|(i, own)| i == *own);
        self.released.records() == self.records() && in_order()
    }

    /// The same pairs with another released file of as many records.
    pub fn with_released(&self, released: Dataset) -> Result<Self> {
        if released.records() != self.released.records() {
            let problem = format!(
                "{} records, but {} has {}: rows must correspond",
                released.records(),
                self.released.name(),
                self.released.records()
            );
            return Err(Error::input(released.name(), problem));
        }
        let drawn = match &self.drawn {
            Some((from, places)) => {
                Some((Arc::new(from.with_released(released.clone())?), places.clone()))
            }
            None => None,
        };
        Ok(Self { released, drawn, ..self.clone() })
    }
}

/// The record of each key of `dataset`; fails on a key that occurs twice.
fn key_places(dataset: &Dataset, key: &str) -> Result<HashMap<String, u32>> {
    let mut places = HashMap::with_capacity(dataset.records());
    for (i, value) in keys(dataset, key)?.into_iter().enumerate() {
        if let Some(first) = places.insert(value.clone(), i as u32) {
            let problem = format!(
                "{value} is the key of records {} and {}; keys must differ",
                first + 1,
                i + 1
            );
            return Err(Error::input(format!("{}: column {key}", dataset.name()), problem));
        }
    }
    Ok(places)
}

/// The key of each record as text; fails on a missing one.
fn keys(dataset: &Dataset, key: &str) -> Result<Vec<String>> {
    let values = &dataset.attributes()[dataset.position(key)?].values;
    let text = |i: usize| match values {
        Values::Numeric(column) => column.text(i),
        Values::Categorical(column) => column.get(i).map(str::to_owned),
    };
    let place = || format!("{}: column {key}", dataset.name());
    (0..dataset.records())
        .map(|i| {
            let missing = || format!("record {} has no key; every record needs one", i + 1);
            text(i).ok_or_else(|| Error::input(place(), missing()))
        })
        .collect()
}
