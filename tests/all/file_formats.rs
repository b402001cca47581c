//! The same records in every format are the same data set; what is written comes back.
//!
//! The files are made by tests/formats/make.py with pandas, pyarrow and pyreadstat.

use crate::support::{refusal, success, unmask_in};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use unmask::dataset::{
    Attribute, Dataset, Decimal, FileFormat, Kind, Notation, NumberForm, Numeric, ReadOptions,
    Schema, Values,
};
use unmask::project::Project;

/// Where the files are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/files")
}

fn load_with(file: &str, options: &ReadOptions) -> Dataset {
    let path = folder().join(file);
    Dataset::load(path.to_str().unwrap(), options).unwrap()
}

fn load(file: &str) -> Dataset {
    load_with(file, &ReadOptions::default())
}

/// A cell as it is to whoever computes with it.
#[derive(Debug, PartialEq)]
enum Cell {
    Missing,
    Generalized,
    Number(f64),
    Day(f64),
    Label(String),
}

fn cells(attribute: &Attribute) -> Vec<Cell> {
    let cell = |i| match &attribute.values {
        _ if attribute.is_generalized(i) => Cell::Generalized,
        Values::Numeric(column) => match column.get(i) {
            None => Cell::Missing,
            Some(day) if column.is_date() => Cell::Day(day),
            Some(number) => Cell::Number(number),
        },
        Values::Categorical(column) => {
            column.get(i).map_or(Cell::Missing, |label| Cell::Label(label.to_owned()))
        }
    };
    (0..attribute.len()).map(cell).collect()
}

fn same_cells(file: &str, read: &Dataset, expected: &Dataset) {
    assert_eq!(read.names(), expected.names(), "{file}");
    for (read, expected) in read.attributes().iter().zip(expected.attributes()) {
        let name = &expected.name;
        assert_eq!(read.is_numeric(), expected.is_numeric(), "{file}: {name}");
        assert!(cells(read) == cells(expected), "{file}: {name}");
    }
}

fn read_back(data: &Dataset, file: &str) -> Dataset {
    let bytes = data.to_bytes(Path::new(file)).unwrap();
    Dataset::from_bytes(file, bytes, &ReadOptions::default()).unwrap()
}

#[test]
fn the_same_records_are_the_same_data_set_in_every_format() {
    let expected = load("comma.csv");
    assert_eq!(expected.records(), 500);
    let kinds: Vec<bool> = expected.attributes().iter().map(Attribute::is_numeric).collect();
    assert_eq!(kinds, [true, true, true, false, true, false, false, true]);
    for file in [
        "tabs.tsv",
        "semicolon.csv",
        "quoted.csv",
        "utf16.csv",
        "packed.csv.gz",
        "records.xlsx",
        "records.parquet",
        "lz4.feather",
        "zstd.arrow",
        "records.dta",
        "records.sav",
        "bytes.sav",
        "records.zsav",
        "records.xpt",
        "version5.xpt",
    ] {
        same_cells(file, &load(file), &expected);
    }
    let latin = load("latin.csv");
    for file in ["latin1.csv", "pandas114.dta", "pandas117.dta", "pandas118.dta", "pandas119.dta"] {
        same_cells(file, &load(file), &latin);
    }
}

/// What the text says of columns.
fn project(text: &str) -> Project {
    Project::from_toml(text, "project").unwrap()
}

#[test]
fn what_a_schema_says_goes_before_what_a_file_says() {
    let text = "[attributes.status]\nkind = \"numeric\"\n[attributes.born]\nkind = \"nominal\"\n\
                [attributes.id]\nkind = \"code\"\n[attributes.age]\nmissing = [\"18\"]\n";
    let options = project(text).read_options();
    for file in ["records.sav", "records.dta"] {
        let data = load_with(file, &options);
        let status = data.numeric("status", "the test").unwrap();
        assert!(status.present().all(|code| [1.0, 2.0, 3.0, 4.0].contains(&code)), "{file}");
        let Values::Categorical(born) = data.values("born").unwrap() else { panic!("labels") };
        assert_eq!(born.get(0).unwrap().len(), "1930-01-01".len(), "{file}");
        let Values::Categorical(id) = data.values("id").unwrap() else { panic!("labels") };
        assert_eq!(id.get(11), Some("12"), "{file}");
        let ages = data.numeric("age", "the test").unwrap();
        assert!(ages.present().all(|age| age != 18.0), "{file}");
    }
}

#[test]
fn declared_missing_values_are_missing_and_labels_are_labels() {
    let data = load("missing.sav");
    let column = |name: &str| cells(&data.attributes()[data.position(name).unwrap()]);
    let label = |text: &str| Cell::Label(text.to_owned());
    assert_eq!(column("answer")[..3], [Cell::Missing, label("few"), label("some")]);
    assert_eq!(column("height")[..2], [Cell::Missing, Cell::Number(151.0)]);
    assert_eq!(column("sex")[..2], [label("female"), label("male")]);
    assert_eq!(column("code")[..2], [Cell::Missing, label("c1")]);
    assert_eq!(column("seen")[1], label("2023-03-29T01:01:00"));
    assert_eq!(column("note")[..2], [Cell::Missing, label(&"ä".repeat(9))]);
    assert_eq!(column("note")[39], label(&"ä".repeat(9 * 39)));
    assert_eq!(column("part")[..2], [Cell::Number(0.0), Cell::Number(1.0)]);
    let warnings: Vec<&str> = data.notes().warnings().collect();
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(warning.contains("part: 1 of its 4 values have labels"), "{warning}");

    let stata = load("missing.dta");
    for name in ["answer", "height", "sex", "code", "seen"] {
        let position = stata.position(name).unwrap();
        let read = cells(&stata.attributes()[position]);
        match name {
            "sex" => assert_eq!(read[..2], [label("f"), label("m")]),
            "code" => assert_eq!(read[0], label("x")),
            _ => assert!(read == column(name), "{name}"),
        }
    }
    same_cells("again.dta", &read_back(&stata, "again.dta"), &stata);
}

/// The columns of a Parquet or Arrow file.
fn batch(file: &str, bytes: Vec<u8>) -> RecordBatch {
    let batches: Vec<RecordBatch> = match FileFormat::of(Path::new(file)) {
        FileFormat::Parquet => {
            let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).unwrap();
            builder.build().unwrap().map(Result::unwrap).collect()
        }
        _ => {
            let bytes = std::io::Cursor::new(bytes);
            let reader = arrow_ipc::reader::FileReader::try_new(bytes, None).unwrap();
            reader.map(Result::unwrap).collect()
        }
    };
    assert_eq!(batches.len(), 1);
    batches.into_iter().next().unwrap()
}

fn texts(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            cast(array, &DataType::Timestamp(*unit, Some("+00:00".into()))).unwrap()
        }
        DataType::Dictionary(..) => cast(array, &DataType::Utf8).unwrap(),
        _ => array.clone(),
    }
}

#[test]
fn columns_come_back_in_the_types_they_were_stored_in() {
    for file in ["types.parquet", "types.arrow"] {
        let data = load(file);
        let before = batch(file, std::fs::read(folder().join(file)).unwrap());
        for written in ["t.parquet", "t.arrow"] {
            let after = batch(written, data.to_bytes(Path::new(written)).unwrap());
            for (field, array) in before.schema().fields().iter().zip(before.columns()) {
                let name = field.name();
                let (position, own) =
                    after.schema().column_with_name(name).map(|(i, f)| (i, f.clone())).unwrap();
                assert_eq!(own.data_type(), field.data_type(), "{file} to {written}: {name}");
                assert_eq!(own.is_nullable(), field.is_nullable(), "{file} to {written}: {name}");
                let after = after.column(position);
                assert!(texts(after) == texts(array), "{file} to {written}: {name}");
            }
            let again = read_back(&data, written);
            same_cells(written, &again, &data);
            let Values::Categorical(level) = again.values("level").unwrap() else { panic!() };
            assert!(level.is_ordinal(), "{file} to {written}");
            assert_eq!(level.labels(), ["low", "middle", "high", "never used"]);
        }
    }
}

#[test]
fn integers_and_decimals_beyond_64_bit_floats_keep_their_digits() {
    let data = load("types.parquet");
    let csv = String::from_utf8(data.to_bytes(Path::new("t.csv")).unwrap()).unwrap();
    let second = csv.lines().nth(2).unwrap();
    for digits in ["9223372036854775806", "123456789012345678.0001", "1.01", "2023-03-29T01:01:00"]
    {
        assert!(second.contains(digits), "{digits} in {second}");
    }
}

#[test]
fn a_changed_column_is_written_in_a_type_that_holds_it() {
    let data = load("types.parquet");
    let changed = |name: &str, by: f64| {
        let position = data.position(name).unwrap();
        let column = data.numeric(name, "the test").unwrap();
        data.with_columns([(position, Values::Numeric(column.map_present(|_, v| v + by)))])
    };
    for (name, by, expected) in [
        ("small", 1.0, DataType::Int8),
        ("small", 1000.0, DataType::Int64),
        ("small", 0.5, DataType::Float64),
        ("unsigned", -1.0, DataType::Int64),
        ("truth", 0.5, DataType::Float64),
        ("price", 0.25, DataType::Decimal128(12, 2)),
        ("price", 0.001, DataType::Float64),
        ("single", 1e-9, DataType::Float64),
        ("midnight", 2.0, data_type("midnight")),
    ] {
        let changed = changed(name, by);
        let written = batch("t.parquet", changed.to_bytes(Path::new("t.parquet")).unwrap());
        let position = written.schema().index_of(name).unwrap();
        assert_eq!(written.column(position).data_type(), &expected, "{name} by {by}");
        same_cells(name, &read_back(&changed, "t.parquet"), &changed);
    }
}

fn data_type(name: &str) -> DataType {
    let file = "types.parquet";
    let stored = batch(file, std::fs::read(folder().join(file)).unwrap());
    stored.schema().field_with_name(name).unwrap().data_type().clone()
}

#[test]
fn stata_columns_keep_labels_formats_and_reasons_of_missing_values() {
    let data = load("records.dta");
    let bytes = data.to_bytes(Path::new("t.dta")).unwrap();
    let again = Dataset::from_bytes("t.dta", bytes.clone(), &ReadOptions::default()).unwrap();
    same_cells("t.dta", &again, &data);
    assert_eq!(again.to_bytes(Path::new("t.dta")).unwrap(), bytes);
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    assert!(has(b"never married\0") && has(b"%td\0"));

    let text = "[attributes.answer]\nkind = \"numeric\"\n";
    let options = project(text).read_options();
    let data = load_with("missing.dta", &options);
    let column = data.numeric("answer", "the test").unwrap();
    assert_eq!((column.get(0), column.get(1)), (None, Some(1.0)));
    let doubled = Values::Numeric(column.map_present(|_, v| 2.0 * v));
    let position = data.position("answer").unwrap();
    let written = data.with_columns([(position, doubled)]).to_bytes(Path::new("t.dta")).unwrap();
    let is_a = |record: &[u8]| record.starts_with(&0x7fe0_0100_0000_0000u64.to_le_bytes());
    let start = written.windows(6).position(|part| part == b"<data>").unwrap() + 6;
    assert!(is_a(&written[start..]) || written[start] == 102, "the first answer is .a");
    let csv = String::from_utf8(data.to_bytes(Path::new("t.csv")).unwrap()).unwrap();
    assert!(csv.lines().nth(1).unwrap().starts_with(','), "{csv}");
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_computed() {
    let folder = TempDir::new().unwrap();
    for output in ["q.xlsx", "q.sav", "q.xpt", "q.txt", "q.parquet.gz", "q.ods", "q.xlsx.gz"] {
        // The input is not there: it is never looked for.
        let run = ["protect", "mdav", "absent", "--k", "3", "-o", output];
        let error = refusal(&unmask_in(folder.path(), &run));
        for part in [output, ".csv, .tsv, .parquet, .arrow or .dta"] {
            assert!(error.contains(part), "{error}");
        }
        let run = [
            "lattice",
            "search",
            "absent",
            "--hierarchies",
            ".",
            "--quasi",
            "a",
            "--k",
            "3",
            "-o",
            output,
        ];
        assert!(refusal(&unmask_in(folder.path(), &run)).contains(".arrow or .dta"));
    }
    for output in
        ["q", "q.csv", "q.tsv", "q.csv.zst", "q.tsv.gz", "q.parquet", "q.feather", "q.dta"]
    {
        let run = ["protect", "mdav", "census", "--k", "3", "-o", output];
        success(&unmask_in(folder.path(), &run));
    }
    let first = |file: &str| std::fs::read(folder.path().join(file)).unwrap()[..4].to_vec();
    assert_eq!(first("q"), b"AFNL");
    assert_eq!(first("q.parquet"), b"PAR1");
    assert_eq!(first("q.feather"), b"ARRO");
    assert_eq!(first("q.dta"), b"<sta");
}

#[test]
fn formats_that_are_not_read_are_refused_with_the_command_that_converts_them() {
    for (file, command) in [
        ("a.sas7bdat", "read_sas7bdat"),
        ("a.por", "read_por"),
        ("a.xls", "soffice --headless --convert-to xlsx"),
        ("a.rds", "Rscript -e"),
    ] {
        let read = Dataset::from_bytes(file, b"anything".to_vec(), &ReadOptions::default());
        let error = read.unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(command), "{error}");
    }
    let stata = b"\x69\x02\x01\x00".to_vec();
    let old = Dataset::from_bytes("a.dta", stata, &ReadOptions::default()).unwrap_err();
    assert!(old.to_string().contains("its release is 105"), "{old}");
}

#[test]
fn the_extension_says_what_divides_the_values() {
    let text = b"a\tb\n1\tx,y\n2\tz\n".to_vec();
    let data = Dataset::from_bytes("t.tsv", text, &ReadOptions::default()).unwrap();
    let written = |file: &str| String::from_utf8(data.to_bytes(Path::new(file)).unwrap()).unwrap();
    assert_eq!(written("t.tsv"), "a\tb\n1\tx,y\n2\tz\n");
    assert_eq!(written("t.csv"), "a,b\n1,\"x,y\"\n2,z\n");
    // A single column of texts with commas is one column.
    let data = Dataset::from_bytes("t.tsv", b"a\n1,2\n3,4\n".to_vec(), &ReadOptions::default());
    assert_eq!(data.unwrap().attributes().len(), 1);
    let semicolons = Dataset::from_csv("t.csv", b"a;b\n1;2\n", &ReadOptions::default()).unwrap();
    assert_eq!(semicolons.to_bytes(Path::new("t.csv")).unwrap(), b"a;b\n1;2\n");
    assert_eq!(semicolons.to_bytes(Path::new("t.tab")).unwrap(), b"a\tb\n1\t2\n");
}

#[test]
fn stata_files_with_what_stata_has_no_room_for_are_refused() {
    let refused = |text: &str| {
        let data = Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
        data.to_bytes(Path::new("t.dta")).unwrap_err().to_string()
    };
    assert!(refused("hours-per-week\n1\n").contains("cannot be a name in Stata"));
    assert!(refused("str12\n1\n").contains("cannot be a name in Stata"));
    assert!(refused("a\n1e308\n").contains("more than Stata can hold"));
    assert!(refused(&format!("a\n{}\n", "x".repeat(2046))).contains("2046 bytes"));
}

#[test]
fn a_workbook_is_read_as_the_csv_file_made_of_it() {
    let error = Dataset::from_bytes("t.xlsx", b"PK".to_vec(), &ReadOptions::default());
    assert!(error.unwrap_err().to_string().contains("not a readable Excel file"));
    let options = project("[attributes.town]\nkind = \"numeric\"\n").read_options();
    let path = folder().join("records.xlsx");
    let error = Dataset::load(path.to_str().unwrap(), &options).unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("town"), "{error}");
    let coded = ReadOptions { schema: Schema::default(), ..ReadOptions::default() };
    assert_eq!(load_with("records.xlsx", &coded).attributes()[3].name, "region");
}

/// Columns of every kind, some cells of which are missing or generalized.
fn any_dataset() -> impl Strategy<Value = Dataset> {
    let number = prop_oneof![
        3 => (-1000i32..1000).prop_map(f64::from),
        1 => -1e12..1e12f64,
        1 => prop_oneof![Just(0.1), Just(-2.5e-7), Just(9e15), Just(1e300)],
    ];
    let day = (-10_000i32..60_000).prop_map(f64::from);
    let label = "[a-zäöß* ]{0,3}[a-zß]{1,4}|0[0-9]{1,3}|\\[1, 2\\]|\\*";
    let records = prop::collection::vec(
        (number, any::<bool>(), day, any::<bool>(), label, any::<u8>()),
        1..30,
    );
    records.prop_map(move |records| {
        let numbers = records.iter().map(|r| r.1.then_some(r.0));
        let wholes = records.iter().map(|r| r.3.then_some(f64::from(r.5)));
        let days = records.iter().map(|r| r.3.then_some(r.2));
        let labels = records.iter().map(|r| (r.5 > 20).then_some(r.4.trim()));
        let date = NumberForm {
            notation: Notation::Date("%Y-%m-%d".parse().unwrap()),
            ..NumberForm::default()
        };
        let numeric = |name: &str, column: Numeric| {
            let mut attribute = Attribute::numeric(name, vec![0.0]).unwrap();
            attribute.values = Values::Numeric(column);
            attribute
        };
        let attributes = vec![
            numeric("number", Numeric::new(numbers).unwrap()),
            numeric("whole", Numeric::new(wholes).unwrap()),
            numeric("day", Numeric::new(days).unwrap().of_form(date)),
            Attribute::nominal("label", labels),
        ];
        Dataset::new("made", attributes).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back_in_every_format(data in any_dataset()) {
        let kinds = "[attributes.number]\nkind = \"numeric\"\n[attributes.whole]\nkind = \"numeric\"\n\
                     [attributes.day]\nkind = \"date\"\n[attributes.label]\nkind = \"nominal\"\n";
        let schema = project(kinds).read_options().schema;
        assert_eq!(schema.kind("label"), Some(Kind::Nominal));
        for file in ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.zst", "t.parquet", "t.arrow", "t.dta"] {
            let bytes = data.to_bytes(Path::new(file)).unwrap();
            // Texts have no types; the others know theirs.
            let is_text = file.contains("csv") || file.contains("tsv");
            let schema = if is_text { schema.clone() } else { Schema::default() };
            let options = ReadOptions { schema, ..ReadOptions::default() };
            let again = Dataset::from_bytes(file, bytes.clone(), &options).unwrap();
            same_cells(file, &again, &data);
            prop_assert_eq!(again.to_bytes(Path::new(file)).unwrap(), bytes, "{}", file);
        }
    }
}

/// A workbook of one sheet that holds `rows`, as XML.
fn workbook(rows: &str) -> Vec<u8> {
    use std::io::Write;
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    let parts = [
        (
            "[Content_Types].xml",
            "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>"
                .to_owned(),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns='{PACKAGE}'><Relationship Id='r1' Type='{RELATIONS}/officeDocument' Target='xl/workbook.xml'/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns='{MAIN}' xmlns:r='{RELATIONS}'><sheets><sheet name='a' sheetId='1' r:id='r1'/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns='{PACKAGE}'><Relationship Id='r1' Type='{RELATIONS}/worksheet' Target='worksheets/sheet1.xml'/></Relationships>"
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns='{MAIN}'><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ];
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn sheet_row(number: usize, cells: &[&str]) -> String {
    let cell = |(i, text): (usize, &&str)| {
        let place = format!("{}{number}", char::from(b'A' + i as u8));
        match text.parse::<f64>() {
            Ok(_) => format!("<c r='{place}'><v>{text}</v></c>"),
            Err(_) => format!("<c r='{place}' t='inlineStr'><is><t>{text}</t></is></c>"),
        }
    };
    format!("<row r='{number}'>{}</row>", cells.iter().enumerate().map(cell).collect::<String>())
}

#[test]
fn a_title_above_the_names_of_columns_is_named_as_what_it_is() {
    let rows = [&["Survey"][..], &["a", "b"], &["1", "2"]];
    let rows: String = (1..).zip(rows).map(|(number, cells)| sheet_row(number, cells)).collect();
    let error = Dataset::from_bytes("t.xlsx", workbook(&rows), &ReadOptions::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("row 2: 2 cells") && error.contains("remove titles"), "{error}");
    assert!(!error.contains("delimiter"), "{error}");
}

#[test]
fn a_number_of_a_sheet_has_a_decimal_point() {
    let rows = [&["a", "b"][..], &["1.234", "x"], &["2.126", "y"]];
    let rows: String = (1..).zip(rows).map(|(number, cells)| sheet_row(number, cells)).collect();
    for decimal in [None, Some(Decimal::Comma)] {
        let options = ReadOptions { decimal, ..ReadOptions::default() };
        let file = Dataset::from_bytes("t.xlsx", workbook(&rows), &options).unwrap();
        let column = file.numeric("a", "a test").unwrap();
        assert_eq!(column.present().collect::<Vec<_>>(), [1.234, 2.126]);
    }
}
