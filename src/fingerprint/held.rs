//! A plan while it is worked on: locked, and recorded before anything of it is handed out.

use super::plan::Plan;
use crate::error::{Error, Result};
use crate::files::{self, Batch, Lock};
use std::path::{Path, PathBuf};

/// A plan in a file, which no other run changes while this one holds it.
#[derive(Debug)]
pub struct HeldPlan {
    path: PathBuf,
    text: String,
    _lock: Lock,
}

impl Plan {
    /// Reads the plan in `path` and keeps other runs from changing it; `waiting` is called when
    /// one is at it, which is then waited for.
    pub fn hold(path: &Path, waiting: impl FnOnce()) -> Result<(Self, HeldPlan)> {
        // A killed run may have been about to record something.
        files::check_writable(path, true)?;
        let lock = files::lock_file(path, waiting)?;
        let text = read(path)?;
        let plan = Self::from_toml(&text, &path.display().to_string())?;
        Ok((plan, HeldPlan { path: path.to_owned(), text, _lock: lock }))
    }
}

impl HeldPlan {
    /// Puts `plan` in its place, on the disk when this returns.
    ///
    /// Fails when the file is not what was read: somebody changed it by other means.
    pub(super) fn record(&self, plan: &Plan) -> Result<Recorded<'_>> {
        if read(&self.path)? != self.text {
            let problem = "was changed while it was worked on; nothing was released, try again";
            return Err(Error::input(self.path.display().to_string(), problem));
        }
        let text = plan.to_toml()?;
        let mut output = Batch::new();
        output.file(&self.path, true, true, |out| {
            out.write_all(text.as_bytes()).map_err(|e| Error::io(&self.path, e))
        })?;
        // Who waits for this plan waits on, until what it records is delivered.
        let lock = output.lock_last()?;
        output.commit()?;
        Ok(Recorded { held: self, text, _lock: lock })
    }
}

/// A plan that was put in the place of the one that is held.
pub(super) struct Recorded<'a> {
    held: &'a HeldPlan,
    text: String,
    _lock: Option<Lock>,
}

impl Recorded<'_> {
    /// Puts back what was there, since nothing was handed out. Where that cannot be, patterns stay
    /// reserved, which harms nobody.
    pub fn take_back(&self) {
        let (path, text) = (&self.held.path, self.held.text.as_bytes());
        if read(path).is_ok_and(|text| text == self.text) {
            let _ = files::write_private_file(path, true, |out| {
                out.write_all(text).map_err(|e| Error::io(path, e))
            });
        }
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| Error::io(path, e))
}
