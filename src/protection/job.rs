//! Protecting a file by a recipe: the library call behind `unmask protect`.

use super::{AttributeKinds, DiversityPromise, Method, Protected, ProtectionSummary, Recipe};
use crate::dataset::{Attribute, Dataset, Role};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::random::drawn_seed;

/// A recipe that is applied to files.
///
/// ```
/// use unmask::dataset::{Dataset, ReadOptions};
/// use unmask::protection::microaggregation::Mdav;
/// use unmask::protection::{Method, Protection};
///
/// let census = Dataset::load("census", &ReadOptions::default())?;
/// let protection = Protection::by(Method::Mdav(Mdav::new(3)));
/// let file = protection.apply(&census, &())?;
/// let loss = file.summary(&census)?.information_loss.il_percent.unwrap_or_default();
/// assert_eq!(format!("{loss:.2}"), "5.69");
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Protection {
    recipe: Recipe,
    keep_identifiers: bool,
}

/// A file that was protected, and how.
#[derive(Debug, Clone)]
pub struct ProtectedFile {
    /// The release and its groups or patterns.
    pub protected: Protected,
    /// The release before its groups were refined, where they were.
    pub before_refinement: Option<Protected>,
    /// The recipe, its attributes filled in, and the seed where the method draws.
    pub recipe: Recipe,
    /// Identifiers that the release lacks.
    pub dropped: Vec<String>,
    /// Attributes that were named, or are quasi-identifiers, and are of a kind that the method
    /// cannot protect.
    pub not_protected: Vec<String>,
    /// True when no seed was given and the method draws: nobody else knows it.
    pub seed_is_drawn: bool,
}

impl From<Recipe> for Protection {
    fn from(recipe: Recipe) -> Self {
        Self { recipe, keep_identifiers: false }
    }
}

impl Protection {
    /// Protects by `method`, the default attributes, with a seed that the system draws.
    pub fn by(method: Method) -> Self {
        Recipe::from(method).into()
    }

    /// Protects these attributes in place of the default ones, which are those of
    /// [`Dataset::default_attributes`]; a method that takes numbers only, or labels, takes those of
    /// them and leaves the others, which the summary names.
    pub fn attributes<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.recipe.attributes = names.into_iter().map(Into::into).collect();
        self
    }

    /// Draws from this seed; whoever knows it can undo noise and swapping. Default: one that the
    /// system draws.
    pub fn seed(mut self, seed: impl Into<Option<u64>>) -> Self {
        self.recipe.seed = seed.into();
        self
    }

    /// Leaves identifiers in the release, as they are. Default: they are dropped.
    pub fn keep_identifiers(mut self, keep: bool) -> Self {
        self.keep_identifiers = keep;
        self
    }

    /// What is done.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Protects `original`; fails, with nothing half done, when the recipe does not fit it.
    pub fn apply(&self, original: &Dataset, listener: &dyn Listener) -> Result<ProtectedFile> {
        let method = &self.recipe.method;
        let original = &self.marked(original)?;
        let Choice { attributes, others } = self.choice(original)?;
        let seed = self.seed_used()?;
        // A method that draws nothing takes any seed.
        let (started, refined) =
            method.protect_in_steps(original, &attributes, seed.unwrap_or(0), listener)?;
        let (mut protected, before_refinement) = match refined {
            Some(refined) => (refined, Some(started)),
            None => (started, None),
        };
        let recipe = Recipe { method: method.clone(), attributes, seed };
        let dropped = self.drop_identifiers(&mut protected.released)?;
        let seed_is_drawn = seed.is_some() && self.recipe.seed.is_none();
        let not_protected = self.expected(original, others);
        Ok(ProtectedFile {
            protected,
            before_refinement,
            recipe,
            dropped,
            not_protected,
            seed_is_drawn,
        })
    }

    /// The seed given, or one that is drawn where the method draws; none where it does not.
    fn seed_used(&self) -> Result<Option<u64>> {
        match self.recipe.seed {
            None if self.recipe.method.implementation().draws() => drawn_seed().map(Some),
            given => Ok(given),
        }
    }

    /// Takes the identifiers out of `released` unless they are to stay, and names them.
    fn drop_identifiers(&self, released: &mut Dataset) -> Result<Vec<String>> {
        let identifiers = released.names_with(Role::Identifier);
        if self.keep_identifiers || identifiers.is_empty() {
            return Ok(Vec::new());
        }
        *released = released.without_role(Role::Identifier)?;
        Ok(identifiers)
    }

    /// The attributes of `original` that are protected: of those named, or of the default ones,
    /// those that the method takes. A named identifier or confidential one is refused, and so is
    /// a file of which nothing can be protected.
    pub fn chosen(&self, original: &Dataset) -> Result<Vec<String>> {
        Ok(self.choice(original)?.attributes)
    }

    fn choice(&self, original: &Dataset) -> Result<Choice> {
        let method = self.recipe.method.implementation();
        let names = self.candidates(original)?;
        let (mut attributes, mut others) = (Vec::new(), Vec::new());
        for position in original.positions(&names)? {
            let attribute = &original.attributes()[position];
            let kind =
                if method.takes().include(attribute) { &mut attributes } else { &mut others };
            kind.push(attribute.name.clone());
        }
        if attributes.is_empty() && self.recipe.attributes.is_empty() {
            return Err(nothing_to_protect(original, method.takes()));
        }
        if attributes.is_empty() {
            // The method says why.
            return Ok(Choice { attributes: names, others: Vec::new() });
        }
        match method.check(original, &attributes) {
            // What does not fit the method may be why too little is left for it.
            Err(error) if !others.is_empty() => {
                Err(method.check(original, &names).err().unwrap_or(error))
            }
            _ => Ok(Choice { attributes, others }),
        }
    }

    /// What is protected as far as the method can: the attributes that are named, or the default
    /// ones.
    fn candidates(&self, original: &Dataset) -> Result<Vec<String>> {
        let names = &self.recipe.attributes;
        if names.is_empty() {
            return Ok(original.default_attributes(|_| true)?.names);
        }
        for position in original.positions(names)? {
            let attribute = &original.attributes()[position];
            if matches!(attribute.role, Role::Identifier | Role::Confidential) {
                let problem = "is an identifier or confidential, and those are left alone; \
                               change its role or leave it out";
                return Err(Error::parameter("attributes", &attribute.name, problem));
            }
        }
        Ok(names.clone())
    }

    /// Those of `names` that somebody expects to be protected.
    fn expected(&self, original: &Dataset, mut names: Vec<String>) -> Vec<String> {
        let quasi = original.names_with(Role::QuasiIdentifier);
        names.retain(|name| self.recipe.attributes.contains(name) || quasi.contains(name));
        names
    }

    /// `original` with the role of the sensitive attributes that the method names.
    pub fn marked(&self, original: &Dataset) -> Result<Dataset> {
        let mut marked = original.clone();
        if let Some(promise) = self.recipe.method.implementation().diversity_promise() {
            mark_sensitive(&mut marked, &promise, &self.recipe.attributes)?;
        }
        Ok(marked)
    }
}

impl ProtectedFile {
    /// What became of `original`, in numbers.
    pub fn summary(&self, original: &Dataset) -> Result<ProtectionSummary> {
        ProtectionSummary::new(self, original)
    }
}

/// What a method protects of a file, and what it cannot.
struct Choice {
    attributes: Vec<String>,
    others: Vec<String>,
}

impl AttributeKinds {
    /// Whether such attributes can be protected; numbers need a value.
    fn include(self, attribute: &Attribute) -> bool {
        match self {
            Self::Numbers => attribute.is_numeric() && !attribute.is_blank(),
            Self::Labels => !attribute.is_numeric(),
            Self::Any => true,
        }
    }
}

fn nothing_to_protect(original: &Dataset, takes: AttributeKinds) -> Error {
    let problem = match takes {
        AttributeKinds::Labels => {
            "no labels among the attributes that the method would protect; cut numbers into \
             intervals with `discretize`, read them as labels with `categorical`, or take a method \
             for numbers"
        }
        AttributeKinds::Numbers | AttributeKinds::Any => {
            "no numbers among the attributes that the method would protect; name some with \
             `attributes`, or take a method for labels"
        }
    };
    Error::input(original.name(), problem)
}

/// Gives the sensitive attributes of `original` their role; one that has another, or is
/// among those named to be protected, is refused.
fn mark_sensitive(
    original: &mut Dataset,
    promise: &DiversityPromise,
    protected: &[String],
) -> Result<()> {
    let sensitive = &promise.sensitive;
    for (i, name) in sensitive.iter().enumerate() {
        let attribute = &original.attributes()[original.position(name)?];
        if sensitive[..i].contains(name) {
            let problem = "is named twice; name each attribute once";
            return Err(Error::parameter("sensitive", name, problem));
        }
        let other = match attribute.role {
            _ if protected.contains(&attribute.name) => "named in `attributes`",
            Role::QuasiIdentifier => "a quasi-identifier",
            Role::Identifier => "an identifier",
            Role::Weight => "a weight",
            Role::Household => "the number of a household",
            Role::Confidential | Role::Other => continue,
        };
        let problem = format!("is also {other}; an attribute has one role");
        return Err(Error::parameter("sensitive", &attribute.name, problem));
    }
    original.set_role(sensitive, Role::Confidential)
}
