//! SECURITY.md names the tests that hold its promises: they exist.

use std::path::Path;

/// The words `module::test` in backquotes.
fn named_tests(text: &str) -> Vec<(&str, &str)> {
    text.split('`').skip(1).step_by(2).filter_map(|word| word.split_once("::")).collect()
}

#[test]
fn every_test_that_the_security_notes_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let named = named_tests(&text);
    assert!(named.len() > 20, "only {} tests are named", named.len());
    for (module, test) in named {
        let is_in = |folder: &str| {
            let file = root.join(folder).join(module).with_extension("rs");
            std::fs::read_to_string(file).is_ok_and(|text| text.contains(&format!("fn {test}(")))
        };
        assert!(is_in("tests/all") || is_in("solvers/tests/all"), "{module}::{test}");
    }
}
