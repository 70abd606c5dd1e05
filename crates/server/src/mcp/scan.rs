//! A scanner for the grammar of JSON.
//!
//! The parser of messages refuses some valid JSON: unpaired surrogate escapes, deep nesting, numbers outside the supported
//! range; and it changes long numbers. A reply must have the `id` of the message exactly as it was sent, which this scanner
//! finds.

/// The result of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan<'t> {
    /// It is not valid JSON.
    Invalid,
    /// A single value, with the parts that a reply depends on.
    Valid(Outline<'t>),
}

/// The parts of a message that determine the reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline<'t> {
    /// The `id` of an object as JSON, if it is a string or a number.
    pub(crate) id: Option<&'t str>,
    /// Whether the object has an `id`.
    pub(crate) has_id: bool,
    /// Whether the object has a `method`.
    pub(crate) has_method: bool,
}

/// The expected next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
    End,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// The open brackets.
    open: Vec<u8>,
    outline: Outline<'t>,
    /// The top-level key of the next value.
    key: Option<&'t str>,
}

/// Scans JSON.
pub(crate) fn scan(bytes: &[u8]) -> Scan<'_> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Scan::Invalid };
    let scanner = Scanner { text, at: 0, open: Vec::new(), outline: Outline::default(), key: None };
    scanner.run().map_or(Scan::Invalid, Scan::Valid)
}

impl<'t> Scanner<'t> {
    fn run(mut self) -> Option<Outline<'t>> {
        let mut next = Next::Value;
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else { return (next == Next::End).then_some(self.outline) };
            next = match (next, byte) {
                (Next::KeyOrEnd, b'}') | (Next::ValueOrEnd, b']') | (Next::CommaOrEnd, b'}' | b']') => {
                    self.close(byte)?
                }
                (Next::Key | Next::KeyOrEnd, b'"') => self.key()?,
                (Next::Value | Next::ValueOrEnd, _) => self.value(byte)?,
                (Next::CommaOrEnd, b',') => {
                    self.at += 1;
                    if self.open.last() == Some(&b'{') { Next::Key } else { Next::Value }
                }
                _ => return None,
            };
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn close(&mut self, byte: u8) -> Option<Next> {
        let opened = self.open.pop()?;
        self.at += 1;
        matches!((opened, byte), (b'{', b'}') | (b'[', b']')).then(|| self.after_value())
    }

    fn after_value(&self) -> Next {
        if self.open.is_empty() { Next::End } else { Next::CommaOrEnd }
    }

    fn key(&mut self) -> Option<Next> {
        let start = self.at;
        self.string()?;
        if self.open.as_slice() == b"{" {
            self.key = self.text.get(start..self.at);
            let is = |name: &str| is_key(self.key, name);
            self.outline.has_method |= is("method");
            if is("id") {
                // The last of several keys is used, as in the parser of messages.
                (self.outline.has_id, self.outline.id) = (true, None);
            }
        }
        self.skip_blanks();
        (self.peek()? == b':').then(|| {
            self.at += 1;
            Next::Value
        })
    }

    fn value(&mut self, byte: u8) -> Option<Next> {
        let start = self.at;
        match byte {
            b'{' | b'[' => {
                self.open.push(byte);
                self.at += 1;
                return Some(if byte == b'{' { Next::KeyOrEnd } else { Next::ValueOrEnd });
            }
            b'"' => self.string()?,
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            _ => return None,
        }
        let is_answerable = matches!(byte, b'"' | b'-' | b'0'..=b'9');
        if is_answerable && self.open.as_slice() == b"{" && is_key(self.key, "id") {
            self.outline.id = self.text.get(start..self.at);
        }
        Some(self.after_value())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Scans a string, including its quotes.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                b'\\' => {
                    let escaped = self.peek()?;
                    self.at += 1;
                    match escaped {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        b'u' => {
                            let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
                            if !digits.iter().all(u8::is_ascii_hexdigit) {
                                return None;
                            }
                            self.at += 4;
                        }
                        _ => return None,
                    }
                }
                0..=0x1f => return None,
                _ => {}
            }
        }
    }
}

/// Returns whether a key, given as JSON, is equal to a name.
fn is_key(key: Option<&str>, name: &str) -> bool {
    key.is_some_and(|key| {
        key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) == Some(name)
            || key.contains('\\') && serde_json::from_str::<String>(key).is_ok_and(|key| key == name)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(Option<&str>, bool, bool)>) {
        let found = match scan(text.as_bytes()) {
            Scan::Invalid => None,
            Scan::Valid(found) => Some((found.id, found.has_id, found.has_method)),
        };
        assert_eq!(found, expected, "{text:.80}");
    }

    #[test]
    fn the_id_is_the_text_that_was_sent() {
        for id in
            ["1", "-0", "1.50", "1e999", "123456789012345678901234567890", "\"a\"", r#""\ud800""#, r#""\"""#]
        {
            check(&format!("{{\"id\": {id} , \"method\":\"m\"}}"), Some((Some(id), true, true)));
            check(&format!("{{\"params\":{{\"id\":7}},\"id\":{id}}}"), Some((Some(id), true, false)));
            check(&format!("{{\"\\u0069d\":{id}}}"), Some((Some(id), true, false)));
        }
        for id in ["null", "true", "{}", "[1]", "{\"id\":1}"] {
            check(&format!("{{\"id\":{id}}}"), Some((None, true, false)));
        }
        check("{\"id\":1,\"id\":2}", Some((Some("2"), true, false)));
        check("{\"id\":1,\"id\":null}", Some((None, true, false)));
        check("[{\"id\":1,\"method\":2}]", Some((None, false, false)));
        check(
            &format!("{{\"id\":1,\"x\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000)),
            Some((Some("1"), true, false)),
        );
        for invalid in [
            "",
            "{",
            "[",
            "{]",
            "[}",
            "{\"id\":1",
            "{\"id\" 1}",
            "{\"id\":1,}",
            "[1,]",
            "01",
            "1.",
            "-",
            "\"\\x\"",
            "\"\u{1}\"",
            "\"\\u12\"",
            "1 2",
            "tru",
            "nulll",
            "{1:2}",
            "\u{feff}1",
        ] {
            check(invalid, None);
        }
        assert_eq!(scan(b"\"\xff\""), Scan::Invalid);
    }

    fn json_strings() -> impl Strategy<Value = String> {
        let parts = [
            "{", "}", "[", "]", ",", ":", " ", "\n", "\"", "\"id\"", "\"a\"", "\\", "\\n", "\\u00e9",
            "\\ud800", "0", "12", "-", "1.5", "e9", "e999", ".", "true", "false", "null", "é", "\u{1}",
        ];
        prop::collection::vec(prop::sample::select(parts.to_vec()), 0..14).prop_map(|parts| parts.concat())
    }

    fn values() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec!["1", "-2.5e3", "\"x\"", "true", "null", "\"\\u0041\""]);
        let leaf = leaf.prop_map(ToOwned::to_owned);
        leaf.prop_recursive(4, 24, 4, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(" ,")));
            let map = prop::collection::vec((prop::sample::select(vec!["id", "method", "x"]), inner), 0..4);
            let map = map.prop_map(|entries| {
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("\"{key}\" :{value}")).collect();
                format!("{{{}}}", entries.join(","))
            });
            prop_oneof![list, map]
        })
    }

    /// The parser of messages accepts what the grammar allows, with three exceptions.
    fn agrees(text: &str) -> Result<(), TestCaseError> {
        let is_valid = scan(text.as_bytes()) != Scan::Invalid;
        match serde_json::from_str::<serde_json::Value>(text) {
            Ok(value) => {
                prop_assert!(is_valid, "{}", text);
                let Scan::Valid(outline) = scan(text.as_bytes()) else { return Ok(()) };
                prop_assert_eq!(outline.has_id, value.get("id").is_some());
                let id = value.get("id").filter(|id| id.is_string() || id.is_number());
                let found = outline.id.and_then(|id| serde_json::from_str::<serde_json::Value>(id).ok());
                prop_assert_eq!(found.as_ref(), id);
            }
            Err(error) => {
                let error = error.to_string();
                let is_exception = ["surrogate", "out of range", "recursion limit", "hex escape"]
                    .iter()
                    .any(|part| error.contains(part));
                prop_assert!(!is_valid || is_exception, "{}: {}", text, error);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn the_grammar_is_that_of_the_reader_of_messages(text in json_strings(), value in values()) {
            agrees(&text)?;
            agrees(&value)?;
        }
    }
}
