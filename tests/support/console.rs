//! Commands and outputs that documents show.

/// Blocks of a document that start with ```console, as (command, output) pairs.
pub fn examples(document: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    for block in document.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => examples.push((command.to_owned(), String::new())),
                None => {
                    let output = &mut examples.last_mut().expect("a command comes first").1;
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
    }
    examples
}

/// `text` with every word before ` s;` hidden: times are the one thing that differs.
pub fn without_seconds(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for i in 1..words.len() {
        if words[i] == "s;" {
            words[i - 1] = "...";
        }
    }
    words.join(" ")
}
