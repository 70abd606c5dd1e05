//! Writes YAML in the form that `minds fmt` keeps.

use std::fmt::Write as _;

use minds_text::{is_control, is_directional};

/// YAML that is being written: block mappings and lists.
#[derive(Debug, Default)]
pub(crate) struct Yaml {
    text: String,
    depth: usize,
}

impl Yaml {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }

    /// Writes a comment of one line.
    pub(crate) fn comment(&mut self, text: &str) {
        self.indent();
        let line: String =
            text.chars().map(|c| if is_control(c) || is_directional(c) { ' ' } else { c }).collect();
        let _ = writeln!(self.text, "# {}", line.trim_end());
    }

    pub(crate) fn blank_line(&mut self) {
        self.text.push('\n');
    }

    /// Writes a key with a scalar that is not a string.
    pub(crate) fn plain(&mut self, key: &str, value: &str) {
        self.indent();
        let _ = writeln!(self.text, "{}: {value}", quote(key));
    }

    /// Writes a key with a string.
    pub(crate) fn string(&mut self, key: &str, value: &str) {
        if !is_block_text(value) {
            return self.plain(key, &quote(value));
        }
        self.plain(key, "|-");
        self.depth += 1;
        for line in value.lines() {
            if !line.is_empty() {
                self.indent();
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.depth -= 1;
    }

    /// Writes a key with a list of strings; nothing for an empty list.
    pub(crate) fn list(&mut self, key: &str, items: &[impl AsRef<str>]) {
        if items.is_empty() {
            return;
        }
        self.indent();
        let _ = writeln!(self.text, "{}:", quote(key));
        self.depth += 1;
        for item in items {
            self.indent();
            let _ = writeln!(self.text, "- {}", quote(item.as_ref()));
        }
        self.depth -= 1;
    }

    /// Writes a key with a mapping; `{}` if nothing is written in it.
    pub(crate) fn mapping(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        self.indent();
        let start = self.text.len();
        let _ = writeln!(self.text, "{}:", quote(key));
        let content = self.text.len();
        self.depth += 1;
        write(self);
        self.depth -= 1;
        if self.text.len() == content {
            self.text.truncate(start);
            let _ = writeln!(self.text, "{}: {{}}", quote(key));
        }
    }
}

/// Returns whether a string of several lines can be written as a block: every line is shown as it is.
fn is_block_text(text: &str) -> bool {
    let is_plain = |line: &str| {
        !line.ends_with([' ', '\t'])
            && !line.contains(|c: char| is_unusual(c) || c == '\t')
            && !line.starts_with(' ')
    };
    text.contains('\n')
        && !text.starts_with('\n')
        && !text.ends_with('\n')
        && !text.contains('\r')
        && text.split('\n').all(is_plain)
}

/// Returns whether a character is written as an escape.
fn is_unusual(c: char) -> bool {
    is_control(c)
        || is_directional(c)
        || matches!(c, '\u{feff}' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns a string as a YAML scalar on one line, with quotes where another reading is possible.
pub(crate) fn quote(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_unusual(c) && u32::from(c) > 0xffff => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
            c if is_unusual(c) => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns whether a string is read as itself without quotes, in every version of YAML.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 12] =
        ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "inf", "nan", "undefined"];
    let is_start = |c: char| c.is_alphabetic() || matches!(c, '_' | '/' | '.');
    let is_inside = |c: char| c.is_alphanumeric() || "_/.- ,;()+=@'$?*~^![]".contains(c);
    let is_ascii_like = text.chars().all(|c| !is_unusual(c));
    let folded = text.trim_start_matches('.').to_ascii_lowercase();
    let is_number = text.trim_start_matches(['.', '-', '+']).starts_with(|c: char| c.is_ascii_digit());
    text.starts_with(is_start)
        && text.chars().all(is_inside)
        && is_ascii_like
        && !text.ends_with(' ')
        && !is_number
        && !folded.is_empty()
        && !WORDS.contains(&folded.as_str())
}

#[cfg(test)]
mod tests {
    use minds_diagnostics::SourceFile;
    use minds_document::{Value, yaml};
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn read_back(text: &str) -> String {
        let mut yaml = Yaml::default();
        yaml.mapping("a", |yaml| {
            yaml.string("b", text);
            yaml.list("c", &[text]);
        });
        let text = yaml.into_text();
        let parsed = yaml::parse(&SourceFile::new("x.yaml", text.as_str()));
        let document = parsed.value.expect("it is valid");
        let inner = document.root().get("a").expect("the key exists");
        let value = |node: minds_document::Node<'_>| match node.value() {
            Value::String(text) => text.to_owned(),
            other => panic!("{other:?} in {text}"),
        };
        let item = inner.get("c").and_then(|list| list.items().next()).expect("the list has an item");
        let found = value(inner.get("b").expect("the key exists"));
        assert_eq!(found, value(item), "{text}");
        found
    }

    #[test]
    fn strings_are_read_back() {
        for text in [
            "",
            "true",
            "No",
            "1",
            "1e3",
            ".5",
            "2024-01-01",
            "a: b",
            "a #b",
            "- x",
            "é",
            "a\nb",
            "a\n\n  b",
            "\n",
            "a\n",
            "|",
            "a\tb",
            "\u{202e}x",
            "'x'",
            "\"",
            "\\",
            "*x",
            "&x",
            "!x",
            "{a}",
            "[a]",
            "a\r\nb",
            " a",
            "a ",
            "~",
            "=",
            "**/secret",
            "<<",
            "...",
            "---",
            "a\n---\nb",
            "#x\ny",
            "\u{feff}",
            "a\n\u{feff}b",
        ] {
            assert_eq!(read_back(text), text);
        }
    }

    proptest! {
        #[test]
        fn any_string_is_read_back(text in "[ -~é\\n\\t:#'\"\\[\\]{}|>-]{0,24}") {
            prop_assert_eq!(read_back(&text), text);
        }
    }
}
