//! `unmask export-milp`.

use super::print;
use super::release::{Distance, ReleaseFiles};
use super::terminal::Terminal;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use unmask::error::{Error, Result};
use unmask::files;
use unmask::learning::PairRows;
use unmask_solvers::{BlockSource, FullRows, MilpParameters, write_lp, write_mps};

/// Writes the worst-case problem as a mixed-integer program for other solvers.
///
/// The objective is the number of records that are not re-identified; the format
/// is MPS or LP by the extension of the output file.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 16 -o noisy.csv\n  \
    unmask export-milp --original census --released noisy.csv --sample 100 -o model.mps\n  \
    unmask export-milp --original census --released noisy.csv --sample 100 --model full -o model.lp")]
pub struct ExportMilp {
    #[command(flatten)]
    release: ReleaseFiles,

    #[command(flatten)]
    distance: Distance,

    /// Which inequalities to write
    #[arg(long, value_enum, default_value_t = ExportedRows::Reduced)]
    model: ExportedRows,

    /// The file to write: .mps or .lp
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output file when it exists
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportedRows {
    /// Without inequalities that others imply; the same optimum
    Reduced,
    /// All of them, as published
    Full,
}

impl ExportMilp {
    /// Writes the model and says how large it is.
    pub fn run(&self) -> Result<()> {
        files::check_outputs(&[&self.output], self.force, &self.release.inputs())?;
        let release = self.release.load_sample()?;
        let attributes = self.release.attributes(&release)?;
        let standardization = self.distance.standardize.standardization();
        let rows =
            PairRows::new(&release, &attributes, standardization, self.distance.aggregation)?;
        let (n, blocks) = (rows.dimension(), rows.blocks());
        let written = match self.model {
            ExportedRows::Full => {
                self.write(&FullRows::new(n, blocks, |i| rows.block(i)))?;
                rows.rows_full()
            }
            ExportedRows::Reduced => {
                let problem = rows.problem(&Terminal::new())?;
                self.write(&problem)?;
                problem.row_count()
            }
        };
        print(format!(
            "{}: {written} of {} inequalities, {blocks} records, {n} weights",
            self.output.display(),
            rows.rows_full()
        ))
    }

    fn write(&self, source: &dyn BlockSource) -> Result<()> {
        let extension = self.output.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let write = match extension.to_ascii_lowercase().as_str() {
            "mps" => write_mps,
            "lp" => write_lp,
            _ => {
                let problem = "its extension must be .mps or .lp, which says the format";
                return Err(Error::input(self.output.display().to_string(), problem));
            }
        };
        files::write_file(&self.output, self.force, |out| {
            Ok(write(source, &MilpParameters::default(), out)?)
        })
    }
}
