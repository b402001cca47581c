//! Names and values of a file as TOML, and inside its comments.

use crate::words::one_line;

/// `text` as a string of TOML on one line.
pub(super) fn string(text: &str) -> String {
    // What JSON escapes, TOML does in the same way; it asks for one character more.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// `name` as a key.
pub(super) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => string(name),
    }
}

/// `texts` as an array.
pub(super) fn array(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| string(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// `text` as lines of a comment.
pub(super) fn comment(text: &str) -> String {
    const WIDTH: usize = 96;
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in one_line(text).split(' ') {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 1 > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        line += if line.is_empty() { "" } else { " " };
        line += word;
    }
    lines.push(line);
    lines.iter().map(|line| format!("# {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_a_key_a_value_and_a_comment(text in any::<String>()) {
            let written = format!("{}{} = {}", comment(&text), key(&text), array(std::slice::from_ref(&text)));
            let read: std::collections::BTreeMap<String, Vec<String>> = toml::from_str(&written).unwrap();
            prop_assert_eq!(read.get(&text), Some(&vec![text.clone()]));
        }
    }
}
