//! What the name of a column says: the words in it, and short lists of words that mean something.

/// The words of `name` in lower case: `hh_id` and `hhId` are `hh` and `id`.
pub(super) fn words(name: &str) -> Vec<String> {
    let (mut words, mut word, mut after_small) = (Vec::new(), String::new(), false);
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && after_small) {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase() || c.is_ascii_digit();
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// How many people of the population a record stands for.
pub(super) const WEIGHTS: &[&str] =
    &["weight", "weights", "wgt", "wt", "fnlwgt", "pweight", "gewicht", "poids", "peso"];

/// What makes such a word the weight of a record.
pub(super) const SAMPLES: &[&str] = &[
    "fnlwgt",
    "pweight",
    "weights",
    "sample",
    "sampling",
    "survey",
    "design",
    "person",
    "hh",
    "household",
    "replicate",
    "haushalt",
    "stichprobe",
    "sondage",
    "muestra",
];

/// What makes it the weight of a body.
pub(super) const BODY_WEIGHTS: &[&str] =
    &["body", "birth", "kg", "lb", "lbs", "g", "corporel", "corporal", "naissance", "nacer"];

/// What is measured beside the weight of a body.
pub(super) const BODIES: &[&str] = &[
    "height",
    "bmi",
    "stature",
    "waist",
    "größe",
    "groesse",
    "grösse",
    "körpergröße",
    "koerpergroesse",
    "körpergrösse",
    "taille",
    "imc",
    "altura",
    "estatura",
    "talla",
];

/// Which records live together.
pub(super) const HOUSEHOLDS: &[&str] = &["hh", "hhid", "household", "haushalt", "hogar"];

/// What is a number or name rather than a property.
pub(super) const KEYS: &[&str] =
    &["id", "ids", "no", "nr", "num", "number", "code", "key", "identifier", "serial", "uuid"];

/// Who may have such a number.
pub(super) const PERSONS: &[&str] = &[
    "person",
    "patient",
    "customer",
    "client",
    "member",
    "subject",
    "participant",
    "respondent",
    "student",
    "employee",
    "user",
    "resident",
    "taxpayer",
    "national",
    "personal",
    "pers",
];

/// What names a person by itself.
pub(super) const IDENTIFIERS: &[&str] = &[
    "id",
    "name",
    "fullname",
    "surname",
    "forename",
    "firstname",
    "lastname",
    "ssn",
    "nin",
    "email",
    "mail",
    "phone",
    "telephone",
    "mobile",
    "fax",
    "address",
    "street",
    "passport",
    "iban",
    "mrn",
    "nhs",
    "ip",
    "plate",
    "uuid",
    "personid",
    "patientid",
];

/// What people keep to themselves.
pub(super) const CONFIDENTIAL: &[&str] = &[
    "income",
    "salary",
    "wage",
    "wages",
    "earnings",
    "debt",
    "diagnosis",
    "disease",
    "illness",
    "icd",
    "icd10",
    "disability",
    "medication",
    "treatment",
    "hiv",
    "religion",
    "vote",
    "conviction",
    "orientation",
    "einkommen",
    "gehalt",
    "lohn",
    "verdienst",
    "schulden",
    "diagnose",
    "krankheit",
    "erkrankung",
    "behinderung",
    "medikament",
    "medikamente",
    "behandlung",
    "revenu",
    "revenus",
    "salaire",
    "dette",
    "maladie",
    "diagnostic",
    "ingreso",
    "ingresos",
    "salario",
    "sueldo",
    "deuda",
    "diagnóstico",
    "diagnostico",
    "enfermedad",
    "religión",
];

/// Digits that name a place.
pub(super) const POSTAL: &[&str] = &["zip", "zipcode", "postcode", "postal", "plz", "fips"];

/// The word of `words` that is in `list`.
pub(super) fn found<'a>(words: &'a [String], list: &[&str]) -> Option<&'a str> {
    words.iter().map(String::as_str).find(|word| list.contains(word))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_are_cut_into_words() {
        for (name, expected) in [
            ("hh_id", vec!["hh", "id"]),
            ("sampleWeight", vec!["sample", "weight"]),
            ("personID", vec!["person", "id"]),
            ("education-num", vec!["education", "num"]),
            ("AFNLWGT", vec!["afnlwgt"]),
            (" Édad  2 ", vec!["édad", "2"]),
            ("", vec![]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }
}
