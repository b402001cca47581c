//! Handing out: the record of who receives what, then their files.

use super::held::HeldPlan;
use super::plan::Plan;
use super::release::Assignment;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::files::{self, Batch};
use std::path::{Path, PathBuf};

/// Where the files of recipients and the list of who received what go.
#[derive(Debug, Clone, Copy)]
pub struct Delivery<'a> {
    /// A folder for the files, to be handed out.
    pub folder: &'a Path,
    /// The list: a plan that knows its recipients. It tells who is who, so it lies elsewhere.
    pub list: &'a Path,
    /// Whether the folder may have files already; those of the same name are replaced.
    pub force: bool,
}

impl Delivery<'_> {
    /// Fails when nothing could be delivered there, or the plan or the list would be handed out
    /// with the files; asked before long work starts.
    pub fn check(&self, plan: &Path) -> Result<()> {
        files::check_folder_writable(self.folder, self.force)?;
        files::check_writable(self.list, true)?;
        for private in [plan, self.list] {
            if self.would_hand_out(private) {
                let problem = "says who received what and lies in the folder that is handed out; \
                               name another folder";
                return Err(Error::input(private.display().to_string(), problem));
            }
        }
        match real(plan) == real(self.list) {
            true => Err(Error::parameter("list", self.list.display(), "but that is the plan")),
            false => Ok(()),
        }
    }

    fn would_hand_out(&self, private: &Path) -> bool {
        self.folder.canonicalize().is_ok_and(|folder| real(private).starts_with(folder))
    }

    /// Delivers the files of `recipients`, whose patterns `plan` has assigned.
    ///
    /// One step: the files are made ready out of sight; then the plan is put in the place of the
    /// one that is `held`, on the disk; then list and files appear. Where something fails,
    /// nothing has appeared and the plan is as it was. After a run that was killed in between,
    /// the plan may have recipients without a file: their patterns are theirs, and the next
    /// release gives them just those. So nobody receives what the plan says another has.
    pub fn deliver(
        &self,
        held: &HeldPlan,
        plan: &Plan,
        data: &Dataset,
        recipients: &[String],
    ) -> Result<()> {
        self.check_list(plan)?;
        let kept = plan.without_dropped(data)?;
        let mut outputs = Batch::new();
        outputs.file(self.list, true, true, |out| {
            out.write_all(plan.to_toml()?.as_bytes()).map_err(|e| Error::io(self.list, e))
        })?;
        outputs.folder(self.folder, self.force, |put| {
            for assignment in recipients.iter().filter_map(|name| plan.assignment(name)) {
                let name = assignment.file_name();
                let release = plan.release(&kept, assignment)?;
                put(&name, &release.to_bytes(Path::new(&name))?)?;
            }
            Ok(())
        })?;
        let recorded = held.record(plan)?;
        outputs.commit_or(|| recorded.take_back())
    }

    /// Fails when the list would lose somebody: it is of another plan.
    fn check_list(&self, plan: &Plan) -> Result<()> {
        if !self.list.exists() {
            return Ok(());
        }
        let earlier = Plan::load(self.list)?;
        match plan.knows_all_of(&earlier) {
            true => Ok(()),
            false => {
                let problem = "says who received what of another plan; keep it, and name another \
                               `list`";
                Err(Error::input(self.list.display().to_string(), problem))
            }
        }
    }
}

impl Assignment {
    /// What the recipient's file is called.
    pub fn file_name(&self) -> String {
        format!("{}.csv", self.recipient)
    }
}

impl Plan {
    /// True when everybody who received something of `earlier` received the same of this plan.
    pub(super) fn knows_all_of(&self, earlier: &Self) -> bool {
        let is_same = self.file == earlier.file && self.quasi() == earlier.quasi();
        earlier.assignments.is_empty()
            || is_same && earlier.assignments.iter().all(|a| self.assignments.contains(a))
    }
}

/// `path` without links, also where nothing is yet.
fn real(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(parent.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}
