//! The front matter of agent files.

use std::fmt::Write as _;

use serde_json::Value;

/// Keys with values, in order.
#[derive(Debug, Default)]
pub(crate) struct FrontMatter {
    lines: String,
}

impl FrontMatter {
    /// Adds a string. It is quoted, so that no reader takes it for another type.
    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.line(0, &format!("{key}: {}", quote(value)));
    }

    /// Adds a line as it is.
    pub(crate) fn line(&mut self, depth: usize, line: &str) {
        for _ in 0..depth {
            self.lines.push_str("  ");
        }
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    /// Adds a list of strings on one line.
    pub(crate) fn list(&mut self, key: &str, values: &[String]) {
        let values: Vec<String> = values.iter().map(|value| quote(value)).collect();
        self.line(0, &format!("{key}: [{}]", values.join(", ")));
    }

    /// Returns the file with its body.
    pub(crate) fn with_body(&self, body: &str) -> String {
        let end = if body.ends_with('\n') { "" } else { "\n" };
        format!("---\n{}---\n{body}{end}", self.lines)
    }
}

/// Returns a string that YAML and JSON read as the same.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::new();
    for character in Value::from(text).to_string().chars() {
        match character {
            // Some readers of YAML take these as line breaks or leave them out.
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            other => quoted.push(other),
        }
    }
    quoted
}
