//! The data files that come with unmask, usable by name wherever a file is expected.
//!
//! `data/README.md` tells where each comes from and under which terms. They
//! are compiled into the program, so that it works from any folder.

/// One built-in file.
#[derive(Debug)]
pub struct BuiltIn {
    /// The name to use in place of a file.
    pub name: &'static str,
    /// Number of records.
    pub records: usize,
    /// Number of attributes.
    pub attributes: usize,
    /// What the records are.
    pub about: &'static str,
    /// Where the file comes from.
    pub source: &'static str,
    /// SHA-256 of the file.
    pub sha256: &'static str,
    /// The CSV file itself.
    pub content: &'static [u8],
}

/// The quasi-identifiers of adult-train and adult-test in studies of generalization.
pub const ADULT_QUASI_IDENTIFIERS: [&str; 8] = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
];

/// What the microaggregation literature means by EIA: the utility, and what it earned and sold.
pub const EIA_ATTRIBUTES: [&str; 11] = [
    "UTILITYID",
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
    "TOTREVENUE",
    "TOTSALES",
];

/// All built-in files; none without the feature `data`.
pub static ALL: &[BuiltIn] = &BUILT_IN;

#[cfg(not(feature = "data"))]
static BUILT_IN: [BuiltIn; 0] = [];

#[cfg(feature = "data")]
static BUILT_IN: [BuiltIn; 6] = [
    BuiltIn {
        name: "census",
        records: 1080,
        attributes: 13,
        about: "incomes and taxes of persons, Current Population Survey 1995",
        source: "CASC project, US Census Bureau",
        sha256: "40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
        content: include_bytes!("../../data/census.csv"),
    },
    BuiltIn {
        name: "tarragona",
        records: 834,
        attributes: 13,
        about: "accounts of companies in the Tarragona area, 1995",
        source: "CASC project",
        sha256: "12ebd851eebe4083cea7fec80082e216ef9aee768fc41228014b31a341cee4aa",
        content: include_bytes!("../../data/tarragona.csv"),
    },
    BuiltIn {
        name: "eia",
        records: 4092,
        attributes: 15,
        about: "monthly revenues and sales of electric utilities, 1996",
        source: "CASC project, US Energy Information Administration",
        sha256: "4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b",
        content: include_bytes!("../../data/eia.csv"),
    },
    BuiltIn {
        name: "adult-train",
        records: 32_561,
        attributes: 15,
        about: "census records with an income class, training part",
        source: "UCI Machine Learning Repository, Adult",
        sha256: "49eb07879402f29f1f339e1be2e1d1f3c71975eaff2b3c16aa39c479da3dcf82",
        content: include_bytes!("../../data/adult-train.csv"),
    },
    BuiltIn {
        name: "adult-test",
        records: 16_281,
        attributes: 15,
        about: "census records with an income class, test part",
        source: "UCI Machine Learning Repository, Adult",
        sha256: "da5b5ba6c089c913b73099e6ddebe4b5c2d1d7ae0956ebe296bc04889c5bf113",
        content: include_bytes!("../../data/adult-test.csv"),
    },
    BuiltIn {
        name: "survey",
        records: 3_000,
        attributes: 11,
        about: "made-up persons in households: codes, dates, weights, missing incomes",
        source: "synthetic, made for tests of this program",
        sha256: "169e69f38e545670f9fbb316b3650e9708cc3d005ed2de409554f2645900c7bb",
        content: include_bytes!("../../data/survey.csv"),
    },
];

/// The built-in file called `name`.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|b| b.name == name)
}
