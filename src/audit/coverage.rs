//! What an audit looked at, and what it did not.

use crate::anonymity::{ColumnShape, EquivalenceClasses, NEARLY_ALL_DIFFERENT, Telling, is_open};
use crate::dataset::{Attribute, Dataset, Role, Values};
use crate::error::Result;
use crate::linkage::Release;
use crate::words::{isolated, short_percent};
use serde::Serialize;

/// A column is unchanged from this share of pairs with equal values: mending a few cells of a
/// number that names people hides the others no better.
const NEARLY_ALL_EQUAL: f64 = 0.95;

/// A text that names people names those who keep it; from this share of people on the release is
/// not protected.
const SOME_KEEP_TEXT: f64 = 0.05;

/// The same for numbers, which may be equal by chance.
const MANY_KEEP_NUMBERS: f64 = 0.5;

/// The columns of a release: which an attacker was given, which nobody looked at, and which
/// identify people by themselves, looked at or not.
///
/// The column that pairs are told by is presumed dropped before publication and stands apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// Columns that the attackers were given.
    pub attacked: Vec<String>,
    /// The other columns of the release.
    pub not_attacked: Vec<NotAttacked>,
    /// Columns that identify by themselves: of role identifier, or neither confidential nor a
    /// weight, nearly all of whose values differ, text that 5% of the people keep, or whole numbers
    /// that half of them do. A column that the original has under another name counts, too, and so do
    /// other numbers in the same order.
    pub direct_identifiers: Vec<DirectIdentifier>,
    /// The same with decimals: who knows a number finds its record; columns nearly all of whose
    /// values differ that the original lacks, or whose text is another; and columns that no attacker was
    /// given, unchanged, at least half of whose values differ.
    pub warnings: Vec<DirectIdentifier>,
    /// The share of records that are alone with their values of the unchanged columns that no
    /// attacker was given, neither confidential nor a weight; none where there are not two.
    pub alone_on_unchanged: Option<f64>,
    /// The share of records that are alone with their values of the columns that the original lacks;
    /// none where it lacks none. A limit is not kept where that is 5% or more.
    pub alone_on_unknown: Option<f64>,
    /// Attacked columns with one value throughout the release, which tell nothing.
    pub constant: Vec<String>,
    /// The key column, where records belong together by key.
    pub presumed_dropped: Option<String>,
}

/// A column of the release that no attacker was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotAttacked {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// True when at least 95% of the pairs have the same value in both files; none when the
    /// original lacks the column or no pair has a value.
    pub unchanged: Option<bool>,
    /// The share of pairs with the same value in both files; two missing values do not count.
    pub equal_share: Option<f64>,
    /// Different values as a share of the values there are.
    pub unique_share: f64,
}

/// A column that tells people apart, and is known from elsewhere or equals the original.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectIdentifier {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// True when the values in the release are those of the original; as in [`NotAttacked`].
    pub unchanged: Option<bool>,
    /// The share of people whose value in the release is that of the original; none where the
    /// original has no such column.
    pub kept_share: Option<f64>,
    /// Different values as a share of the values there are, in the file where that is more.
    pub unique_share: f64,
    /// True when it holds numbers with decimals.
    pub decimals: bool,
    /// True when its values are not those of the original, but tell people apart as these do.
    pub recoded: bool,
    /// True when these are other numbers in the same order, of what were whole numbers.
    pub ordered_whole: bool,
}

impl Coverage {
    /// The columns of `release`, whose records belong together by `key` where one is named.
    ///
    /// A column called `weight`, or whose name ends in that word, counts as a weight. Fails when
    /// an attacked column is not in the release. Cost: O(n) for each column.
    pub fn of(release: &Release, attacked: &[String], key: Option<&str>) -> Result<Self> {
        let release = release.whole();
        release.released().positions(attacked)?;
        let is_key = |name: &str| Some(name) == key;
        let columns = release.released().attributes().iter().filter(|a| !is_key(&a.name));
        let columns: Vec<Column> =
            columns.map(|a| Column::new(release, a)).collect::<Result<_>>()?;
        let is_attacked = |column: &&Column| attacked.contains(&column.name);
        let telling = |kind: Telling| {
            let of_kind = columns.iter().filter(move |column| column.telling() == Some(kind));
            of_kind.map(Column::direct_identifier)
        };
        let finds_many = |column: &&Column| !is_attacked(column) && column.finds_many();
        let many = columns.iter().filter(finds_many).map(Column::direct_identifier);
        let open = columns.iter().filter(|column| !is_attacked(column) && column.is_known());
        let open: Vec<&String> = open.map(|column| &column.name).collect();
        let unknown = columns.iter().filter(|column| column.is_unknown);
        let unknown: Vec<&String> = unknown.map(|column| &column.name).collect();
        let constant = columns.iter().filter(is_attacked).filter(|column| column.shape.constant);
        let others = columns.iter().filter(|column| !is_attacked(column));
        Ok(Self {
            attacked: attacked.to_vec(),
            not_attacked: others.map(Column::not_attacked).collect(),
            direct_identifiers: telling(Telling::Identifies).collect(),
            warnings: telling(Telling::Warns).chain(many).collect(),
            alone_on_unchanged: match open.len() < 2 {
                true => None,
                false => alone_on(release.released(), &open)?,
            },
            alone_on_unknown: alone_on(release.released(), &unknown)?,
            constant: constant.map(|column| column.name.clone()).collect(),
            presumed_dropped: key.map(str::to_owned),
        })
    }

    /// What to do before anything else, where columns identify by themselves.
    pub fn advice(&self) -> Option<String> {
        let names: Vec<String> =
            self.direct_identifiers.iter().map(|column| isolated(&column.name)).collect();
        let advice =
            || format!("Drop {} first: whoever knows it needs no attack.", names.join(", "));
        (!names.is_empty()).then(advice)
    }

    /// What it means: what identifies by itself first, then what was not looked at.
    pub fn sentences(&self) -> Vec<String> {
        let identify = self.direct_identifiers.iter().map(DirectIdentifier::sentence);
        let warn = self.warnings.iter().map(DirectIdentifier::sentence);
        let others = [
            self.not_covered(),
            self.alone(),
            self.alone_by_unknown(),
            self.weights(),
            self.nothing_told(),
            self.dropped(),
        ];
        identify.chain(warn).chain(others.into_iter().flatten()).collect()
    }

    fn not_covered(&self) -> Option<String> {
        let number = match self.not_attacked.len() {
            0 => return None,
            1 => "1 column of the release was".to_owned(),
            several => format!("{several} columns of the release were"),
        };
        let groups = [
            ("unchanged", Some(true)),
            ("changed", Some(false)),
            ("not comparable with the original", None),
        ];
        let parts: Vec<String> = groups
            .iter()
            .filter_map(|(words, unchanged)| Some(format!("{} ({words})", self.whose(*unchanged)?)))
            .collect();
        Some(format!("{number} not given to any attacker: {}.", parts.join("; ")))
    }

    /// The names of the columns that no attacker was given and that are `unchanged` or not.
    fn whose(&self, unchanged: Option<bool>) -> Option<String> {
        let columns = self.not_attacked.iter().filter(|column| column.unchanged == unchanged);
        let names: Vec<String> = columns.map(|column| isolated(&column.name)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn alone(&self) -> Option<String> {
        let share = self.alone_on_unchanged.filter(|share| *share >= SOME_ALONE)?;
        Some(format!(
            "{} of the released records are alone with their values of the unchanged columns that no \
             attacker was given: whoever knows these finds them.",
            short_percent(share)
        ))
    }

    /// True where columns that the original lacks tell many records apart: what nobody attacked
    /// may be what the original holds under another name.
    pub fn is_open(&self) -> bool {
        self.alone_on_unknown.is_some_and(|share| share >= MANY_ALONE)
    }

    fn alone_by_unknown(&self) -> Option<String> {
        let share = self.alone_on_unknown.filter(|_| self.is_open())?;
        Some(format!(
            "{} of the released records are alone with their values of the columns that the original \
             lacks, by which nobody was attacked: no limit is kept while the release holds them.",
            short_percent(share)
        ))
    }

    /// Weights that would find many people if they were something that others know.
    fn weights(&self) -> Option<String> {
        let tells = |column: &&NotAttacked| {
            let open = column.role == Role::Weight && column.unchanged == Some(true);
            open && column.unique_share >= MANY_DIFFERENT
        };
        let weights = self.not_attacked.iter().filter(tells);
        let names: Vec<String> = weights.map(|column| isolated(&column.name)).collect();
        let sentence = || {
            format!(
                "Taken for weights that nobody else knows: {}; unchanged, most values distinct. Where \
                 others may know them, give them another role.",
                names.join(", ")
            )
        };
        (!names.is_empty()).then(sentence)
    }

    fn nothing_told(&self) -> Option<String> {
        let names: Vec<String> = self.constant.iter().map(|name| isolated(name)).collect();
        let tell =
            if names.len() == 1 { "has one value and tells" } else { "have one value and tell" };
        let sentence = || format!("{} {tell} nothing.", names.join(", "));
        (!names.is_empty()).then(sentence)
    }

    fn dropped(&self) -> Option<String> {
        let name = isolated(self.presumed_dropped.as_ref()?);
        Some(format!("The key column {name} is presumed to be dropped before publication."))
    }
}

impl DirectIdentifier {
    /// Why the column gives people away.
    pub fn sentence(&self) -> String {
        let (name, share) = (isolated(&self.name), short_percent(self.unique_share));
        let kept = match self.kept_share {
            Some(kept) if kept < NEARLY_ALL_EQUAL => {
                format!("is unchanged for {} of the people", short_percent(kept))
            }
            _ => "is unchanged".to_owned(),
        };
        match (self.role, self.decimals) {
            (Role::Identifier, _) => {
                format!("{name} is an identifier: the release is not protected while it holds it.")
            }
            _ if self.ordered_whole => format!(
                "{name} identifies people by itself: its values are others than before, but in the \
                 same order, and {share} of them are distinct; the release is not protected while it \
                 holds it."
            ),
            _ if self.recoded => format!(
                "{name} holds other values than before, and {share} of them are distinct: whoever knows \
                 whose they are, or how they were made, finds everybody."
            ),
            _ if self.unique_share < NEARLY_ALL_DIFFERENT => format!(
                "{name} {kept} and {share} of its values are distinct: whoever knows it finds many \
                 people."
            ),
            _ if self.kept_share.is_none() => format!(
                "{name} is not in the original and {share} of its values are distinct: whoever knows \
                 whose they are finds everybody."
            ),
            (_, false) => format!(
                "{name} identifies people by itself: it {kept} and {share} of its values are \
                 distinct; the release is not protected while it holds it."
            ),
            (_, true) => format!(
                "{name} {kept} and {share} of its values are distinct: whoever knows the exact \
                 number finds its record."
            ),
        }
    }
}

/// From this share of different values on a weight would find many.
const MANY_DIFFERENT: f64 = 0.5;

/// From this share on it is said that records are alone with unchanged values.
const SOME_ALONE: f64 = 0.01;

/// From this share on columns that the original lacks keep a release from being judged safe.
const MANY_ALONE: f64 = 0.05;

/// The share of records that are alone with their values of these columns; none of no column.
fn alone_on(released: &Dataset, names: &[&String]) -> Result<Option<f64>> {
    if names.is_empty() {
        return Ok(None);
    }
    let classes = EquivalenceClasses::new(released, names)?;
    Ok(Some(classes.uniques() as f64 / released.records() as f64))
}

/// What there is to know about a column of the release.
struct Column {
    name: String,
    role: Role,
    /// The share of pairs with the same value in the column of the same name.
    equal_share: Option<f64>,
    /// The same, in the column of the original that has most of the values.
    kept_share: Option<f64>,
    shape: ColumnShape,
    is_text: bool,
    /// True where the original has no column of that name.
    is_unknown: bool,
    recoding: Option<Recoding>,
}

/// How values that are not those of the original tell people apart as these do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recoding {
    /// Another text for each.
    Text,
    /// Other numbers, in the same order or the reverse one; whole before or not.
    Ordered { whole: bool },
}

impl Column {
    fn new(release: &Release, released: &Attribute) -> Result<Self> {
        let name = &released.name;
        let known = release.original().attributes();
        let original = known.iter().find(|a| a.name == *name);
        let equal_share = original.and_then(|original| equal_share(release, original, released));
        let mut column = Self {
            name: name.clone(),
            role: role(released.role, original.map(|a| a.role)),
            equal_share,
            kept_share: equal_share,
            shape: ColumnShape::of(release.released(), released)?,
            is_text: !released.is_numeric(),
            is_unknown: original.is_none(),
            recoding: None,
        };
        match original {
            Some(original) => column.shaped_like(release, original, released)?,
            None if column.shape.is_unique() => column.look_elsewhere(release, released),
            None => {}
        }
        Ok(column)
    }

    /// Values that the release left out were there: what told people apart still does.
    fn shaped_like(
        &mut self,
        release: &Release,
        original: &Attribute,
        released: &Attribute,
    ) -> Result<()> {
        let before = ColumnShape::of(release.original(), original)?.unique_share;
        if self.shape.is_unique() && !self.is_kept() {
            self.recoding = recoding(release, original, released)?;
        }
        self.shape.unique_share = self.shape.unique_share.max(before);
        Ok(())
    }

    fn is_kept(&self) -> bool {
        let enough = if self.is_text { SOME_KEEP_TEXT } else { MANY_KEEP_NUMBERS };
        self.kept_share.is_none_or(|kept| kept >= enough)
    }

    /// Unchanged, so that others may know it, and neither confidential nor a weight.
    fn is_known(&self) -> bool {
        self.unchanged() == Some(true) && is_open(&self.name, self.role)
    }

    fn finds_many(&self) -> bool {
        self.is_known() && self.shape.finds_many(&self.name, self.role)
    }

    /// Looks for the values in columns of the original that have other names.
    fn look_elsewhere(&mut self, release: &Release, released: &Attribute) {
        let known = release.original().attributes().iter();
        let kept = known.filter_map(|original| equal_share(release, original, released));
        self.kept_share = kept.filter(|kept| *kept > 0.0).max_by(f64::total_cmp);
    }

    fn unchanged(&self) -> Option<bool> {
        self.equal_share.map(|share| share >= NEARLY_ALL_EQUAL)
    }

    fn telling(&self) -> Option<Telling> {
        let recoded = self.recoding.filter(|_| is_open(&self.name, self.role));
        match self.shape.telling(&self.name, self.role, self.is_kept()) {
            None => recoded.map(|recoding| match recoding {
                Recoding::Ordered { whole: true } => Telling::Identifies,
                _ => Telling::Warns,
            }),
            Some(Telling::Identifies) if self.role != Role::Identifier => match self.kept_share {
                Some(_) => Some(Telling::Identifies),
                None => Some(Telling::Warns),
            },
            telling => telling,
        }
    }

    fn direct_identifier(&self) -> DirectIdentifier {
        DirectIdentifier {
            name: self.name.clone(),
            role: self.role,
            unchanged: self.unchanged(),
            kept_share: self.kept_share,
            unique_share: self.shape.unique_share,
            decimals: self.shape.decimals,
            recoded: self.recoding.is_some(),
            ordered_whole: self.recoding == Some(Recoding::Ordered { whole: true }),
        }
    }

    fn not_attacked(&self) -> NotAttacked {
        NotAttacked {
            name: self.name.clone(),
            role: self.role,
            unchanged: self.unchanged(),
            equal_share: self.equal_share,
            unique_share: self.shape.unique_share,
        }
    }
}

/// How a column whose values nearly all differ was recoded, if it still tells people apart: text as
/// any text does, numbers by their order.
fn recoding(
    release: &Release,
    original: &Attribute,
    released: &Attribute,
) -> Result<Option<Recoding>> {
    let before = ColumnShape::of(release.original(), original)?;
    Ok(match (&original.values, &released.values) {
        _ if !before.is_unique() => None,
        (Values::Numeric(known), Values::Numeric(published)) => {
            let pairs = release.own().iter().enumerate();
            let both =
                pairs.filter_map(|(i, &j)| Some((known.get(i)?, published.get(j as usize)?)));
            let whole = !before.decimals;
            is_ordered(both.collect()).then_some(Recoding::Ordered { whole })
        }
        (_, Values::Categorical(_)) => Some(Recoding::Text),
        _ => None,
    })
}

/// True when the second numbers of 99 in 100 pairs follow the order of the first, or the reverse one.
fn is_ordered(mut pairs: Vec<(f64, f64)>) -> bool {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let steps = || pairs.windows(2).map(|two| two[1].1 - two[0].1);
    let (up, down) = (steps().filter(|s| *s > 0.0).count(), steps().filter(|s| *s < 0.0).count());
    pairs.len() >= FEW_PAIRS && 100 * up.max(down) >= 99 * (pairs.len() - 1)
}

/// Fewer pairs may be in order by chance, or under little noise.
const FEW_PAIRS: usize = 100;

/// The role said in either file; an identifier in one of them is one.
fn role(released: Role, original: Option<Role>) -> Role {
    match (released, original) {
        (_, Some(Role::Identifier)) => Role::Identifier,
        (Role::Other, Some(original)) => original,
        _ => released,
    }
}

/// The share of pairs with equal values, of those where not both are missing; none when all are.
fn equal_share(release: &Release, original: &Attribute, released: &Attribute) -> Option<f64> {
    let pairs = release.own().iter().enumerate();
    let compared =
        pairs.filter_map(|(i, &j)| equal(&original.values, i, &released.values, j as usize));
    let (equal, all) = compared.fold((0, 0), |(equal, all), e| (equal + usize::from(e), all + 1));
    (all > 0).then(|| equal as f64 / all as f64)
}

/// Whether two cells are equal but for case and outer spaces; none when both are missing. A number
/// equals the text that says it.
fn equal(a: &Values, i: usize, b: &Values, j: usize) -> Option<bool> {
    let said = |text: Option<&str>| text.and_then(|text| text.trim().parse::<f64>().ok());
    match (a, b) {
        (Values::Numeric(a), Values::Numeric(b)) => same(a.get(i), b.get(j)),
        (Values::Categorical(a), Values::Categorical(b)) => {
            let folded = |text: Option<&str>| text.map(|text| text.trim().to_lowercase());
            match same(a.get(i), b.get(j)) {
                Some(false) => same(folded(a.get(i)), folded(b.get(j))),
                equal => equal,
            }
        }
        (Values::Numeric(a), Values::Categorical(b)) => same(a.get(i), said(b.get(j))),
        (Values::Categorical(a), Values::Numeric(b)) => same(said(a.get(i)), b.get(j)),
    }
}

fn same<T: PartialEq>(a: Option<T>, b: Option<T>) -> Option<bool> {
    (a.is_some() || b.is_some()).then(|| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ReadOptions;
    use crate::protection::microaggregation::Mdav;
    use crate::protection::{Noise, ProtectionMethod};

    fn read(text: &str) -> Dataset {
        Dataset::from_csv("example", text.as_bytes(), &ReadOptions::default()).unwrap()
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    fn identifying(coverage: &Coverage) -> Vec<&str> {
        coverage.direct_identifiers.iter().map(|d| d.name.as_str()).collect()
    }

    /// The survey with ages and weights protected.
    fn survey() -> Release {
        let original = Dataset::load("survey", &ReadOptions::default()).unwrap();
        let attributes = names(&["age", "sex", "region"]);
        let released = Mdav::new(5).protect(&original, &attributes, 1, &()).unwrap().released;
        Release::by_row(original, released).unwrap()
    }

    #[test]
    fn a_survey_that_still_holds_person_ids_is_not_protected() {
        let coverage = Coverage::of(&survey(), &names(&["age", "sex", "region"]), None).unwrap();
        assert_eq!(identifying(&coverage), ["person_id"]);
        let warned: Vec<&str> = coverage.warnings.iter().map(|w| w.name.as_str()).collect();
        assert_eq!(warned, ["income"], "and not weight, which is a weight");
        assert_eq!(coverage.not_attacked.len(), 8);
        let household = &coverage.not_attacked[1];
        assert_eq!((household.name.as_str(), household.unchanged), ("hh_id", Some(true)));
        assert!(household.unique_share < NEARLY_ALL_DIFFERENT);
        let sentences = coverage.sentences();
        assert!(sentences[0].starts_with("person_id identifies people by itself"), "{sentences:?}");
    }

    #[test]
    fn the_key_column_stands_apart() {
        let attacked = names(&["age", "sex", "region"]);
        let coverage = Coverage::of(&survey(), &attacked, Some("person_id")).unwrap();
        assert!(coverage.direct_identifiers.is_empty());
        assert!(coverage.not_attacked.iter().all(|column| column.name != "person_id"));
        assert_eq!(coverage.presumed_dropped.as_deref(), Some("person_id"));
    }

    #[test]
    fn an_attacked_column_can_identify_by_itself_and_a_noisy_one_cannot() {
        let original = Dataset::load("survey", &ReadOptions::default()).unwrap();
        let noisy = Noise::new(10.0).protect(&original, &names(&["person_id"]), 1, &()).unwrap();
        let attacked = names(&["person_id", "age"]);
        let of = |released| {
            let release = Release::by_row(original.clone(), released).unwrap();
            Coverage::of(&release, &attacked, None).unwrap()
        };
        assert_eq!(identifying(&of(original.clone())), ["person_id"]);
        assert!(identifying(&of(noisy.released)).is_empty());
    }

    #[test]
    fn the_role_of_an_identifier_is_enough_in_either_file() {
        let mut original = read("name,x\na,1\na,1\n");
        let released = read("name,x\nb,1\nb,1\n");
        original.set_role(&["name"], Role::Identifier).unwrap();
        let release = Release::by_row(original, released).unwrap();
        let coverage = Coverage::of(&release, &names(&["x"]), None).unwrap();
        assert_eq!(identifying(&coverage), ["name"]);
        assert_eq!(coverage.direct_identifiers[0].unchanged, Some(false));
        assert_eq!(coverage.constant, ["x"]);
    }

    #[test]
    fn confidential_columns_and_weights_do_not_identify() {
        let mut file = read("code,income,Design_Weight\n1,10,7\n2,20,8\n3,30,9\n");
        file.set_role(&["income"], Role::Confidential).unwrap();
        let release = Release::by_row(file.clone(), file).unwrap();
        let coverage = Coverage::of(&release, &[], None).unwrap();
        assert_eq!(identifying(&coverage), ["code"]);
    }

    #[test]
    fn rows_in_another_order_are_compared_in_pairs() {
        let original = read("id,x,y\n1,a,5\n2,b,6\n3,c,\n");
        let released = read("id,x,z\n3,c,1\n1,a,2\n2,b,3\n");
        let release = Release::by_key(original, released, "id").unwrap();
        let coverage = Coverage::of(&release, &[], Some("id")).unwrap();
        assert_eq!(identifying(&coverage), ["x"]);
        let z = &coverage.not_attacked[1];
        assert_eq!((z.name.as_str(), z.unchanged, z.equal_share), ("z", None, None));
    }

    #[test]
    fn two_missing_values_are_not_compared_and_one_is_a_change() {
        let original = read("x,y\n1,\n2,\n3,7\n4,8\n");
        let released = read("x,y\n1,\n2,9\n3,7\n4,8\n");
        let release = Release::by_row(original, released).unwrap();
        let coverage = Coverage::of(&release, &names(&["x"]), None).unwrap();
        assert_eq!(coverage.not_attacked[0].equal_share, Some(2.0 / 3.0));
    }

    #[test]
    fn a_number_equals_the_text_that_says_it() {
        let original = read("x,y\n1,a\n2,a\n");
        let released = read("x,y\n1,a\n2,a\n")
            .with_columns([(0, Attribute::nominal("x", [Some("01"), Some("2")]).values)]);
        let release = Release::by_row(original, released).unwrap();
        let coverage = Coverage::of(&release, &[], None).unwrap();
        assert_eq!(identifying(&coverage), ["x"]);
    }

    #[test]
    fn json_has_the_names_that_readers_expect() {
        let coverage = Coverage::of(&survey(), &names(&["age"]), None).unwrap();
        let json = serde_json::to_value(&coverage).unwrap();
        let column = &json["not_attacked"][0];
        assert_eq!(column["name"], "person_id");
        assert_eq!(column["role"], "other");
        assert_eq!(column["unchanged"], true);
        assert_eq!(column["unique_share"], 1.0);
        assert_eq!(json["direct_identifiers"][0]["name"], "person_id");
    }
}
