//! Protecting a file by a recipe: the library call behind `unmask protect`.

use super::{AttributeKinds, DiversityPromise, Method, Protected, ProtectionSummary, Recipe};
use crate::dataset::{Attribute, Dataset, Role};
use crate::error::{Error, Result};
use crate::listener::Listener;

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
}

/// A file that was protected, and how.
#[derive(Debug, Clone)]
pub struct ProtectedFile {
    /// The release and its groups or patterns.
    pub protected: Protected,
    /// The release before its groups were refined, where they were.
    pub before_refinement: Option<Protected>,
    /// The recipe, its attributes filled in.
    pub recipe: Recipe,
}

impl From<Recipe> for Protection {
    fn from(recipe: Recipe) -> Self {
        Self { recipe }
    }
}

impl Protection {
    /// Protects by `method`, the default attributes, with seed 1.
    pub fn by(method: Method) -> Self {
        Self { recipe: method.into() }
    }

    /// Protects these attributes in place of the default ones, which are the quasi-identifiers,
    /// or, where no role says so, those of the kind the method takes that are neither identifier
    /// nor confidential.
    pub fn attributes<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.recipe.attributes = names.into_iter().map(Into::into).collect();
        self
    }

    /// Draws from this seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.recipe.seed = seed;
        self
    }

    /// What is done.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Protects `original`; fails, with nothing half done, when the recipe does not fit it.
    pub fn apply(&self, original: &Dataset, listener: &dyn Listener) -> Result<ProtectedFile> {
        let Recipe { method, seed, .. } = &self.recipe;
        let original = &self.marked(original)?;
        let attributes = self.chosen(original)?;
        let (started, refined) = method.protect_in_steps(original, &attributes, *seed, listener)?;
        let recipe = Recipe { attributes, ..self.recipe.clone() };
        Ok(match refined {
            Some(protected) => {
                ProtectedFile { protected, before_refinement: Some(started), recipe }
            }
            None => ProtectedFile { protected: started, before_refinement: None, recipe },
        })
    }

    /// The attributes of `original` that are protected; a named identifier or confidential one
    /// is refused.
    pub fn chosen(&self, original: &Dataset) -> Result<Vec<String>> {
        let names = &self.recipe.attributes;
        if names.is_empty() {
            return default_attributes(original, self.recipe.method.implementation().takes());
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

/// By [`Dataset::default_attributes`], of the kind that the method takes.
fn default_attributes(original: &Dataset, takes: AttributeKinds) -> Result<Vec<String>> {
    let is_quasi = |a: &Attribute| a.role == Role::QuasiIdentifier;
    let chosen = match takes {
        AttributeKinds::Numbers => original.default_attributes(|a| a.is_numeric() || is_quasi(a)),
        AttributeKinds::Labels => original.default_label_attributes(),
        AttributeKinds::Any => original.default_attributes(|_| true),
    };
    Ok(chosen?.names)
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
            Role::Confidential | Role::Other => continue,
        };
        let problem = format!("is also {other}; an attribute has one role");
        return Err(Error::parameter("sensitive", &attribute.name, problem));
    }
    original.set_role(sensitive, Role::Confidential)
}
