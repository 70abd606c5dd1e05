//! The canonical form of any input has the same meaning, keeps every comment, and is stable.

use minds_diagnostics::SourceFile;
use minds_document::yaml;
use minds_document::yaml::KeyOrder::{self, Fields, Free, Items, Named};
use minds_yaml_format::{Refusal, format};
use proptest::prelude::*;

/// Orders keys at every level that the strings of this file reach.
static ORDER: KeyOrder = Fields(&[("b", INNER), ("a", INNER), ("c", Items(&INNER)), ("d", Named(&INNER))]);
const INNER: KeyOrder = Fields(&[("d", LEAF), ("c", Free), ("b", Items(&LEAF)), ("a", LEAF)]);
const LEAF: KeyOrder = Fields(&[("c", Free), ("a", Free)]);

fn source(text: &str) -> SourceFile {
    SourceFile::new("x.yaml", text)
}

/// Returns the meaning of a string, without the order of its keys.
fn said(text: &str) -> Option<serde_json::Value> {
    let parsed = yaml::parse(&source(text));
    parsed.value.filter(|_| parsed.problems.is_empty()).map(|document| document.root().to_json())
}

/// Checks what holds for each string that has a form, and returns the form.
fn check(text: &str) -> Result<Option<String>, TestCaseError> {
    let after = match format(&source(text), &ORDER) {
        Ok(after) => after,
        Err(Refusal::Problems(problems)) => {
            prop_assert!(!problems.is_empty());
            return Ok(None);
        }
        Err(refused) => {
            prop_assert!(said(text).is_some(), "{refused:?}");
            return Ok(None);
        }
    };
    prop_assert_eq!(said(text), said(&after), "{:?}\nbecame {:?}", text, after);
    match format(&source(&after), &ORDER) {
        Ok(again) => prop_assert_eq!(&again, &after, "{:?}", text),
        Err(refused) => {
            prop_assert!(false, "{:?}\nbecame {:?}\nwhich has no form: {:?}", text, after, refused);
        }
    }
    Ok(Some(after))
}

/// Strings that are nearly YAML: the pieces that make its grammar, in any order.
fn nearly_yaml() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b: ",
        "c:\n",
        "d: x\n",
        "- ",
        "? ",
        ": ",
        "\n",
        "\n\n",
        "\n  ",
        "\n    ",
        "\r\n",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "'",
        "\"",
        "#",
        " # c",
        "# d\n",
        "&x ",
        "*x",
        "*x ",
        "!!str ",
        "!!map ",
        "|\n",
        ">-\n",
        "|+\n",
        "|2\n",
        "---\n",
        "...\n",
        "\t",
        "é",
        "日本",
        "\u{feff}",
        "1",
        "~",
        "x-a: ",
        "\\n",
        "\\\n",
        "%YAML 1.2\n",
        "'q'",
        "\"q\"",
        "[a, b]",
        "{a: 1}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Writes a string of YAML that is right, in an unusual layout.
struct Writer {
    choices: std::vec::IntoIter<u8>,
    text: String,
    comments: usize,
    anchors: usize,
}

impl Writer {
    fn choose(&mut self, options: u8) -> u8 {
        self.choices.next().unwrap_or(u8::MAX) % options
    }

    fn spaces(&mut self, least: usize) {
        let count = least + usize::from(self.choose(3));
        self.text.push_str(&" ".repeat(count));
    }

    fn comment(&mut self) {
        self.comments += 1;
        self.text.push_str(&format!("#c{}.", self.comments));
    }

    /// Ends a line, with or without a comment, and adds empty lines and comments.
    fn end_line(&mut self) {
        if self.choose(4) == 0 {
            self.spaces(1);
            self.comment();
        }
        if self.choose(5) == 0 {
            self.spaces(0);
        }
        self.text.push('\n');
        while self.choose(4) == 0 {
            match self.choose(3) {
                0 => self.text.push('\n'),
                1 => {
                    let depth = usize::from(self.choose(9));
                    self.text.push_str(&" ".repeat(depth));
                    self.comment();
                    self.text.push('\n');
                }
                _ => self.text.push_str("   \n"),
            }
        }
    }

    fn scalar(&mut self, indent: usize) {
        let deeper = " ".repeat(indent + 1 + usize::from(self.choose(3)));
        let text = match self.choose(9) {
            0 => "'it''s # no comment'".to_owned(),
            1 => "\"a \\\" # b\"".to_owned(),
            2 => format!("plain text\n{deeper}goes on\n\n{deeper} and on"),
            3 => format!("\"quoted \\\n{deeper}  goes on  \n\n{deeper}# and on\""),
            4 => format!("'one\n{deeper}two'"),
            5 => "日本語 #x".replace(' ', "-"),
            _ => "v".to_owned(),
        };
        self.text.push_str(&text);
    }

    fn block_text(&mut self, indent: usize) {
        let header = ["|", ">", "|-", ">-", "|+", "|2", ">+"][usize::from(self.choose(7))];
        self.text.push_str(header);
        if self.choose(3) == 0 {
            self.text.push(' ');
            self.comment();
        }
        let depth = if header == "|2" { 2 } else { 1 + usize::from(self.choose(4)) };
        let deeper = " ".repeat(indent + depth);
        self.text.push_str(&format!("\n{deeper}first\n"));
        for _ in 0..self.choose(4) {
            match self.choose(4) {
                0 => self.text.push('\n'),
                1 => self.text.push_str(&format!("{deeper}# text\n")),
                2 => self.text.push_str(&format!("{deeper}  deeper  \n")),
                _ => self.text.push_str(&format!("{deeper}more\n")),
            }
        }
    }

    fn flow(&mut self, indent: usize, depth: u8) {
        let is_list = self.choose(2) == 0;
        self.text.push(if is_list { '[' } else { '{' });
        let count = self.choose(4);
        for at in 0..count {
            self.flow_space(indent);
            if !is_list {
                self.text.push_str(["a", "'b'", "c d", "\"e\""][usize::from(at)]);
                self.text.push(':');
                self.spaces(1);
            }
            match self.choose(4) {
                0 if depth < 3 => self.flow(indent, depth + 1),
                1 => self.text.push_str("'q'"),
                _ => self.text.push_str("w x"),
            }
            self.flow_space(indent);
            if at + 1 < count || self.choose(4) == 0 {
                self.text.push(',');
            }
        }
        self.flow_space(indent);
        self.text.push(if is_list { ']' } else { '}' });
    }

    fn flow_space(&mut self, indent: usize) {
        match self.choose(8) {
            0 => {
                self.text.push(' ');
                self.comment();
                self.text.push_str(&format!("\n{}", " ".repeat(indent + 1)));
            }
            1 => self.text.push_str(&format!("\n\n{}", " ".repeat(indent + 2))),
            2 => self.text.push_str("  "),
            _ => {}
        }
    }

    fn props(&mut self) {
        if self.choose(8) == 0 {
            self.anchors += 1;
            self.text.push_str(&format!(" &n{}", self.anchors));
        }
    }

    /// Writes a value after its indicator, without a line break after it.
    fn value(&mut self, indent: usize, depth: u8) {
        if self.choices.as_slice().is_empty() {
            self.text.push_str(" v\n");
            return;
        }
        let kind = self.choose(if depth < 4 { 8 } else { 5 });
        match kind {
            0 => self.end_line(),
            1 => {
                self.props();
                self.text.push(' ');
                self.block_text(indent);
            }
            2 => {
                self.props();
                self.spaces(1);
                self.flow(indent, 0);
                self.end_line();
            }
            3 if self.anchors > 0 => {
                let anchor = 1 + usize::from(self.choose(250)) % self.anchors;
                // An anchor that contains the alias would make it a circle.
                if self.text.contains(&format!("&n{anchor}\n")) {
                    self.text.push_str(" w");
                } else {
                    self.text.push_str(&format!(" *n{anchor}"));
                }
                self.end_line();
            }
            3 | 4 => {
                self.props();
                if self.choose(5) == 0 {
                    self.end_line();
                    self.text.push_str(&" ".repeat(indent));
                }
                self.spaces(1);
                self.scalar(indent);
                self.end_line();
            }
            _ => {
                if self.choose(8) == 0 {
                    self.anchors += 1;
                    self.text.push_str(&format!(" &n{}", self.anchors));
                    self.text.push('\n');
                } else {
                    self.end_line();
                }
                let inner = indent + 1 + usize::from(self.choose(4));
                self.collection(inner, depth + 1, kind == 5);
            }
        }
    }

    fn collection(&mut self, indent: usize, depth: u8, is_list: bool) {
        let mut keys = vec!["a", "b", "c", "d", "'e'", "x-f", "\"g h\""];
        let count = 1 + self.choose(4);
        for _ in 0..count {
            self.text.push_str(&" ".repeat(indent));
            if is_list {
                self.text.push('-');
                if depth < 4 && self.choose(4) == 0 {
                    self.text.push_str(" k: v");
                    self.end_line();
                    self.text.push_str(&" ".repeat(indent + 2));
                    self.text.push_str("l:");
                    self.value(indent + 2, depth + 1);
                    continue;
                }
            } else {
                let key = keys.remove(usize::from(self.choose(u8::try_from(keys.len()).unwrap())));
                self.text.push_str(key);
                if self.choose(6) == 0 {
                    self.text.push(' ');
                }
                self.text.push(':');
            }
            self.value(indent, depth);
        }
    }
}

fn layouts() -> impl Strategy<Value = (String, usize)> {
    prop::collection::vec(any::<u8>(), 0..300).prop_map(|choices| {
        let mut writer =
            Writer { choices: choices.into_iter(), text: String::new(), comments: 0, anchors: 0 };
        if writer.choose(4) == 0 {
            writer.end_line();
            writer.text.push_str("---");
            writer.end_line();
        }
        let is_list = writer.choose(5) == 0;
        writer.collection(0, 0, is_list);
        if writer.choose(6) == 0 {
            writer.text.push_str("...\n");
        }
        if writer.choose(4) == 0 {
            writer.text = writer.text.replace('\n', "\r\n");
        }
        (writer.text, writer.comments)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn any_text_near_yaml_is_refused_or_keeps_its_meaning(text in nearly_yaml()) {
        check(&text)?;
    }

    #[test]
    fn a_valid_text_is_formatted_and_keeps_its_comments((text, comments) in layouts()) {
        let Some(after) = check(&text)? else {
            // Only what is not read has no form.
            prop_assert!(said(&text).is_none(), "{}", text);
            return Ok(());
        };
        for number in 1..=comments {
            let comment = format!("#c{number}.");
            prop_assert_eq!(after.matches(&comment).count(), 1, "{} in\n{}\nof\n{}", comment, after, text);
        }
        for line in after.lines() {
            prop_assert!(!line.ends_with('\t'), "{:?}", after);
        }
    }
}
