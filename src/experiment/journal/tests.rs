//! What is read of journals that were changed.

use super::contents::Contents;
use super::header::Header;
use super::sealed::Seal;
use crate::experiment::record::CellRecord;
use serde_json::json;

const FILE: &str = "study/table.toml";

fn header() -> Header {
    Header {
        specification: "5f".into(),
        data: "a1".into(),
        runs: 6,
        unmask: "0.1.0".into(),
        program: "c3".into(),
        highs: Some("1.15.0".into()),
    }
}

fn record(cell: &str, run: usize, share: f64) -> CellRecord {
    CellRecord { cell: cell.into(), run, seconds: 0.25, found: json!({ "share": share }) }
}

fn records() -> Vec<CellRecord> {
    vec![record("Noise-2", 1, 0.1), record("Noise-2", 2, 0.2), record("Mic-3", 1, 1.0 / 3.0)]
}

fn lines(header: &Header, records: &[CellRecord]) -> Vec<String> {
    let json = |value| serde_json::to_string(value).unwrap();
    let first = Seal::default().line(&serde_json::to_string(header).unwrap());
    let rest = records.iter().map(|record| header.seal().line(&json(record)));
    std::iter::once(first).chain(rest).collect()
}

fn read(bytes: &[u8]) -> Result<Contents, String> {
    Contents::read(bytes, &header(), FILE)
}

/// What is read of the lines `order` of the journal of [`records`].
fn read_lines(order: &[usize]) -> Contents {
    let all = lines(&header(), &records());
    let journal: String = order.iter().map(|i| all[*i].as_str()).collect();
    read(journal.as_bytes()).unwrap()
}

#[test]
fn a_journal_gives_what_was_written() {
    let contents = read_lines(&[0, 1, 2, 3]);
    assert_eq!(contents.held.records, records());
    assert!(contents.held.warnings.is_empty());
}

#[test]
fn no_flipped_bit_reaches_a_record_and_all_other_records_are_kept() {
    let whole = lines(&header(), &records()).concat().into_bytes();
    for (i, bit) in (0..whole.len()).flat_map(|i| (0..8).map(move |bit| (i, bit))) {
        let mut changed = whole.clone();
        changed[i] ^= 1 << bit;
        let contents = read(&changed).unwrap();
        let held = contents.held.records;
        assert!(held.iter().all(|record| records().contains(record)), "byte {i}, bit {bit}");
        // A line end that is gone takes the line below with it.
        assert!(held.len() + 2 >= records().len(), "byte {i}, bit {bit}");
        let torn = contents.whole < changed.len();
        assert!(torn || !contents.held.warnings.is_empty(), "byte {i}, bit {bit}");
    }
}

#[test]
fn damaged_lines_are_named_by_number() {
    let mut all = lines(&header(), &records());
    all[2] = all[2].replace("0.2}", "0.3}");
    let warnings = |all: &[String]| read(all.concat().as_bytes()).unwrap().held.warnings;
    let one = "runs.partial.jsonl: line 3 is damaged; its job is run again";
    assert_eq!(warnings(&all), [one]);
    all[3] = "nothing\n".into();
    let two = "runs.partial.jsonl: lines 3, 4 are damaged; their jobs are run again";
    assert_eq!(warnings(&all), [two]);
    all.splice(2.., lines(&header(), &records()).drain(2..));
    all[0] = all[0].replace("\"runs\":6", "\"runs\":7");
    assert!(warnings(&all)[0].starts_with("runs.partial.jsonl: line 1 is damaged; the records"));
}

#[test]
fn lines_in_another_order_are_the_same_records() {
    let held = read_lines(&[0, 3, 1, 2]).held;
    assert!(records().iter().all(|record| held.records.contains(record)));
    assert!(held.records.len() == 3 && held.warnings.is_empty());
}

#[test]
fn a_line_that_stands_twice_counts_once() {
    let held = read_lines(&[0, 1, 2, 1, 3, 3]).held;
    assert_eq!(held.records, records());
    assert!(held.warnings.is_empty());
}

#[test]
fn times_are_no_difference() {
    let mut twice = records();
    twice.push(CellRecord { seconds: 0.5, ..record("Mic-3", 1, 1.0 / 3.0) });
    let held = read(lines(&header(), &twice).concat().as_bytes()).unwrap().held;
    assert_eq!(held.records, records());
}

#[test]
fn different_records_of_one_job_are_named_and_neither_counts() {
    let mut twice = records();
    twice.push(record("Noise-2", 2, 0.4));
    let held = read(lines(&header(), &twice).concat().as_bytes()).unwrap().held;
    assert_eq!(held.records, [record("Noise-2", 1, 0.1), record("Mic-3", 1, 1.0 / 3.0)]);
    let named = "runs.partial.jsonl: lines 3 and 5 are different records of Noise-2 run 2; it is \
                 run again";
    assert_eq!(held.warnings, [named]);
}

#[test]
fn a_torn_last_line_is_cut() {
    let whole = lines(&header(), &records()).concat();
    let before = whole.len() - lines(&header(), &records())[3].len();
    let contents = read(&whole.as_bytes()[..whole.len() - 1]).unwrap();
    assert_eq!((contents.whole, contents.held.records.len()), (before, 2));
    assert!(contents.held.warnings.is_empty());
    assert_eq!(read(b"{\"sha2").unwrap().whole, 0);
}

/// What is said about a journal of `header`.
fn refusal(header: &Header) -> String {
    read(lines(header, &records()).concat().as_bytes()).unwrap_err()
}

#[test]
fn what_a_journal_belongs_to_is_compared_and_told() {
    let told = |what: &str| {
        format!("was started with another {what}; go on with that one, or start anew with `fresh`")
    };
    let other = |header: Header, what: &str| assert_eq!(refusal(&header), told(what));
    other(Header { specification: "60".into(), ..header() }, "study/table.toml");
    other(Header { data: "a2".into(), ..header() }, "data file");
    other(Header { runs: 7, ..header() }, "number of runs (7, now 6)");
    other(Header { program: "c4".into(), ..header() }, "build of unmask");
    other(Header { highs: None, ..header() }, "version of HiGHS (none, now 1.15.0)");
    let both = Header { unmask: "0.0.9".into(), program: "c4".into(), runs: 7, ..header() };
    let what = "number of runs (7, now 6) and another version of unmask (0.0.9, now 0.1.0)";
    other(both, what);
}

#[test]
fn lines_of_another_journal_do_not_fit() {
    let other = Header { program: "c4".into(), ..header() };
    let (ours, theirs) = (lines(&header(), &records()), lines(&other, &records()));
    let mixed = [&ours[0], &ours[1], &theirs[2], &ours[3]].map(String::as_str).concat();
    let held = read(mixed.as_bytes()).unwrap().held;
    assert_eq!(held.records.len(), 2);
    assert_eq!(held.warnings, ["runs.partial.jsonl: line 3 is damaged; its job is run again"]);
}

#[test]
fn nothing_is_believed_below_a_damaged_first_line_unless_it_fits() {
    let other = Header { program: "c4".into(), ..header() };
    let mut theirs = lines(&other, &records());
    theirs[0] = theirs[0].replace("c4", "c3");
    let problem = read(theirs.concat().as_bytes()).unwrap_err();
    assert!(problem.starts_with("line 1 is damaged") && problem.ends_with("`fresh`"), "{problem}");
}

#[test]
fn a_journal_without_checksums_is_refused() {
    let old = "{\"specification\":\"5f\",\"data\":\"a1\",\"runs\":6,\"unmask\":\"0.1.0\"}\n";
    let problem = read(old.as_bytes()).unwrap_err();
    assert!(problem.contains("kept no checksums") && problem.contains("`fresh`"), "{problem}");
}

#[test]
fn bytes_that_are_no_text_are_damaged_lines() {
    let mut bytes = lines(&header(), &records()).concat().into_bytes();
    bytes.extend([0xff, 0xfe, b'\n']);
    let held = read(&bytes).unwrap().held;
    assert_eq!(held.records, records());
    assert_eq!(held.warnings, ["runs.partial.jsonl: line 5 is damaged; its job is run again"]);
}
