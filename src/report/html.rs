//! A document as one self-contained page: no network, charts inline, all text
//! escaped by the template engine.

use super::document::{BlockContent, Document, Tone};
use crate::error::{Error, Result};
use crate::table::Table;
use minijinja::{Environment, Value, context};

const TEMPLATE: &str = include_str!("templates/page.html");
const STYLE: &str = include_str!("templates/style.css");
const SCRIPT: &str = include_str!("templates/script.js");

/// `document` as HTML, with its record as JSON inside.
pub fn html(document: &Document) -> Result<String> {
    let failed = |e: minijinja::Error| Error::Internal(format!("the page: {e:#}"));
    let mut environment = Environment::new();
    // The name ends in .html, which switches escaping on.
    environment.add_template("page.html", TEMPLATE).map_err(failed)?;
    let sections: Vec<Value> = document
        .sections
        .iter()
        .map(|section| {
            let blocks: Vec<Value> = section.blocks.iter().map(|b| block(&b.content)).collect();
            context! { id => section.id, title => section.title, blocks => blocks }
        })
        .collect();
    let page = context! {
        title => document.title,
        verdict => document.verdict,
        tone => tone(document.tone),
        tone_words => tone_words(document.tone),
        consequences => document.consequences,
        advice => document.advice,
        facts => document.facts,
        sections => sections,
        version => env!("CARGO_PKG_VERSION"),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        record => Value::from_safe_string(script_json(&document.record)),
    };
    environment.get_template("page.html").and_then(|t| t.render(page)).map_err(failed)
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Kept => "kept",
        Tone::Exceeded | Tone::Unprotected => "exceeded",
        Tone::Open | Tone::Plain => "open",
    }
}

fn tone_words(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Kept => Some("Within the limit"),
        Tone::Exceeded => Some("Limit exceeded"),
        Tone::Unprotected => Some("Not protected"),
        Tone::Open => Some("No limit given"),
        Tone::Plain => None,
    }
}

fn block(content: &BlockContent) -> Value {
    match content {
        BlockContent::Text(text) => context! { kind => "text", text },
        BlockContent::Note(text) => context! { kind => "note", text },
        BlockContent::Code(text) => context! { kind => "code", text },
        BlockContent::List(items) => context! { kind => "list", items },
        BlockContent::Facts(pairs) => context! { kind => "facts", pairs },
        BlockContent::Terms(pairs) => context! { kind => "terms", pairs },
        BlockContent::Table { caption, table, folded } => context! {
            kind => "table", caption, folded, header => table.header(), rows => table.rows(),
            numeric => numeric_columns(table),
        },
        BlockContent::Chart { svg } => {
            context! { kind => "chart", svg => Value::from_safe_string(svg.clone()) }
        }
    }
}

fn numeric_columns(table: &Table) -> Vec<bool> {
    (0..table.header().len()).map(|i| table.is_numeric(i)).collect()
}

/// `value` as JSON that can stand inside a `script` element: nothing in it can end
/// the element or open a comment.
fn script_json(value: &serde_json::Value) -> String {
    let text = format!("{value:#}");
    text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_a_script_cannot_end_it_and_stays_the_same_value() {
        let value = serde_json::json!({"</script><!--": "a & b \u{2028} <script>"});
        let text = script_json(&value);
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
