//! `unmask link`.

use super::recipe::KnownMethod;
use super::release::ReleaseFiles;
use super::terminal::Terminal;
use super::{Format, print, print_json};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::path::PathBuf;
use unmask::audit::{AttacksRecord, NamedAttacks};
use unmask::disclosure::IntervalParameters;
use unmask::error::Result;
use unmask::files::check_outputs;
use unmask::linkage::TieRule;
use unmask::linkage::registry::{self, ATTACKS, AttackParameters};

/// What `unmask link` does: `--list` needs no files.
pub enum LinkCommand {
    List,
    Attack(Box<LinkOptions>),
}

/// Attacks a release: how many records can be linked back, without learning anything.
///
/// Row i of the released file belongs to row i of the original, or rows with
/// the same key belong together (--key). The attacker links each original
/// record to a released one; a link is right when it is the record's own.
/// Identifiers and confidential attributes are not used. A generalized value (20-29,
/// {a|b}, 08***, `*`, a name that --hierarchies explains) is at distance 0 from every
/// value it stands for; where records were discarded, --discarded names their row
/// numbers.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 16 -o noisy.csv\n  \
    unmask link --original census --released noisy.csv\n  \
    unmask link --original census --released noisy.csv --attack dbrl1,dbrl2,single \
    --attributes AFNLWGT,AGI,EMCONTRB --sample 400 --seed 7\n  \
    unmask link --original known.csv --released public.csv --key id --tie share --links links.csv\n  \
    unmask link --list")]
pub struct LinkOptions {
    #[command(flatten)]
    release: ReleaseFiles,

    /// Attacks to run; --list tells more
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "dbrl1",
        value_parser = attack_names()
    )]
    attack: Vec<String>,

    /// What a record counts whose own released record is as near as others
    #[arg(long, value_enum, default_value_t = TieRule::Miss)]
    tie: TieRule,

    /// Write one row per record: record, linked record, distance, second
    /// distance, correct, tied; needs a single attack
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,

    /// Replace the links file when it exists
    #[arg(long)]
    force: bool,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    method: KnownMethod,

    #[command(flatten)]
    parameters: AttackParameters,

    #[command(flatten)]
    interval: IntervalParameters,
}

/// The names of the registry, each with its meaning.
fn attack_names() -> PossibleValuesParser {
    let value = |entry: &registry::AttackEntry| PossibleValue::new(entry.name).help(entry.meaning);
    PossibleValuesParser::new(ATTACKS.iter().map(value))
}

impl LinkCommand {
    /// Shows the list of attacks, or attacks.
    pub fn run(&self) -> Result<()> {
        match self {
            Self::List => print(registry::table()),
            Self::Attack(link) => link.run(),
        }
    }
}

impl Args for LinkCommand {
    fn augment_args(command: Command) -> Command {
        let list = Arg::new("list")
            .long("list")
            .help("Show every attack: what it needs and what its attacker does")
            .action(ArgAction::SetTrue)
            .exclusive(true);
        LinkOptions::augment_args(command).arg(list)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LinkCommand {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        match matches.get_flag("list") {
            true => Ok(Self::List),
            false => LinkOptions::from_arg_matches(matches).map(Box::new).map(Self::Attack),
        }
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl LinkOptions {
    /// Reads both files, runs the attacks, writes the links, prints the record.
    pub fn run(&self) -> Result<()> {
        let record = self.record()?;
        match self.format {
            Format::Text => print(record),
            Format::Json => print_json(&record),
        }
    }

    fn record(&self) -> Result<AttacksRecord> {
        let files = &self.release;
        if let Some(path) = &self.links {
            let recipe = self.method.recipe().path();
            let inputs: Vec<_> = files.inputs().into_iter().chain(recipe).collect();
            check_outputs(&[path], self.force, &inputs)?;
        }
        let (release, supposed) = self.method.tell(files.load()?)?;
        let attacks = NamedAttacks::on(&release)
            .named(self.attack.iter().cloned())
            .attributes(files.attributes.iter().cloned())
            .key(files.key())
            .sample(files.sample)
            .haystack(files.haystack)
            .seed(files.seed)
            .tie(self.tie)
            .supposed(supposed)
            .parameters(self.parameters.clone())
            .interval(self.interval);
        let Some(path) = &self.links else { return attacks.run(&Terminal::new()) };
        let (record, links) = attacks.run_with_links(&Terminal::new())?;
        links.save(path, self.force, self.tie)?;
        Ok(record)
    }
}
