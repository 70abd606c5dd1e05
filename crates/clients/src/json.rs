//! JSON with comments, read with places.
//!
//! Clients differ in what they accept: one skips a file with a comment, another one allows it. So everything that some client
//! accepts is read, and what a strict reader refuses is listed.

use minds_diagnostics::Span;

use crate::tree::{Entry, Item, Value};

/// The maximum depth of a value; deeper files are refused, so that reading needs little of the stack.
const MAX_DEPTH: usize = 100;

/// The result of reading.
#[derive(Debug, Default)]
pub(crate) struct Json {
    /// The value; none if nothing can be read.
    pub(crate) item: Option<Item>,
    /// What strict JSON does not allow, in order.
    pub(crate) extensions: Vec<(Span, &'static str)>,
    /// The places of repeated keys, each with the place of the first.
    pub(crate) duplicates: Vec<(Span, Span)>,
    /// The first syntax error.
    pub(crate) error: Option<(Span, &'static str)>,
}

/// Reads a string in linear time.
pub(crate) fn read(text: &str) -> Json {
    let mut reader = Reader { text, at: 0, json: Json::default() };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    let item = reader.value(0).and_then(|item| {
        reader.skip_space()?;
        if reader.at < text.len() { Err(reader.error("nothing may follow the value")) } else { Ok(item) }
    });
    match item {
        Ok(item) => reader.json.item = Some(item),
        Err(error) => reader.json.error = Some(error),
    }
    reader.json
}

type Error = (Span, &'static str);

struct Reader<'t> {
    text: &'t str,
    at: usize,
    json: Json,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, what: &'static str) -> Error {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.chars().next().map_or(0, char::len_utf8);
        (span(self.at, self.at + length), what)
    }

    /// Skips blanks and comments.
    fn skip_space(&mut self) -> Result<(), Error> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Error> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            match rest.get(2..).and_then(|inner| inner.find("*/")) {
                Some(end) => end + 4,
                None => return Err(self.error("the comment is not closed")),
            }
        } else {
            return Err(self.error("expected a value"));
        };
        self.json.extensions.push((span(self.at, self.at + length), "a comment"));
        self.at += length;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Item, Error> {
        self.skip_space()?;
        if depth > MAX_DEPTH {
            return Err(self.error("the values are nested too deeply"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.mapping(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return Err(self.error("expected a value")),
        };
        Ok(Item { span: span(start, self.at), value })
    }

    fn word(&mut self) -> Result<Value, Error> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let words = [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("expected a value"))
    }

    fn number(&mut self) -> Result<Value, Error> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let digits = rest.get(..length).unwrap_or_default();
        let value = match digits.parse() {
            Ok(integer) => Value::Integer(integer),
            Err(_) => Value::Float(digits.parse().map_err(|_| self.error("invalid number"))?),
        };
        self.at += length;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, Error> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(length) = rest.find(['"', '\\', '\n', '\r']) else {
                return Err(self.error("the string is not closed"));
            };
            out.push_str(rest.get(..length).unwrap_or_default());
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => self.escape(&mut out)?,
                _ => return Err(self.error("the string is not closed on its line")),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Error> {
        let letter = self.text.as_bytes().get(self.at + 1).copied();
        let c = match letter {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(out),
            _ => return Err(self.error("invalid escape")),
        };
        out.push(c);
        self.at += 2;
        Ok(())
    }

    fn unicode(&mut self, out: &mut String) -> Result<(), Error> {
        let unit = |at: usize| {
            let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
            digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
            u16::from_str_radix(digits, 16).ok()
        };
        let Some(first) = unit(self.at) else { return Err(self.error("invalid escape")) };
        let second = unit(self.at + 6).filter(|_| (0xd800..0xdc00).contains(&first));
        let units = [first, second.unwrap_or_default()];
        let used = if second.is_some() { 2 } else { 1 };
        let decoded = char::decode_utf16(units.into_iter().take(used));
        // A lone half of a pair is what JavaScript keeps; here it is only shown.
        out.extend(decoded.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        self.at += 6 * used;
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Result<Value, Error> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Value::List(items));
            }
            items.push(self.value(depth + 1)?);
            if !self.comma(b']')? {
                return Ok(Value::List(items));
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, Error> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut first_places = std::collections::BTreeMap::new();
        loop {
            self.skip_space()?;
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Mapping(entries));
                }
                Some(b'"') => {}
                _ => return Err(self.error("expected a key in double quotes")),
            }
            let start = self.at;
            let key = self.string()?;
            let key_span = span(start, self.at);
            if let Some(first) = first_places.get(&key) {
                self.json.duplicates.push((key_span, *first));
            } else {
                first_places.insert(key.clone(), key_span);
            }
            self.skip_space()?;
            if self.peek() != Some(b':') {
                return Err(self.error("expected `:` after the key"));
            }
            self.at += 1;
            let item = self.value(depth + 1)?;
            entries.push(Entry { key, key_span, item });
            if !self.comma(b'}')? {
                return Ok(Value::Mapping(entries));
            }
        }
    }

    /// Reads the comma after a value; returns false if the collection ends instead.
    fn comma(&mut self, end: u8) -> Result<bool, Error> {
        self.skip_space()?;
        match self.peek() {
            Some(b',') => {
                let place = span(self.at, self.at + 1);
                self.at += 1;
                self.skip_space()?;
                if self.peek() == Some(end) {
                    self.json.extensions.push((place, "a trailing comma"));
                }
                Ok(true)
            }
            Some(found) if found == end => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.error("expected a comma or the end")),
        }
    }
}

pub(crate) fn span(start: usize, end: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(item: &Item) -> serde_json::Value {
        match &item.value {
            Value::Null | Value::Unknown => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Integer(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::String(text) => text.clone().into(),
            Value::List(items) => items.iter().map(plain).collect(),
            Value::Mapping(entries) => {
                entries.iter().map(|entry| (entry.key.clone(), plain(&entry.item))).collect()
            }
        }
    }

    #[test]
    fn extensions_of_json_are_listed() {
        let read = read("{\n  // why\n  \"a\": [1, 2,], /* x */ \"a\": \"\\ud83d\\ude00\"\n}");
        let what: Vec<&str> = read.extensions.iter().map(|(_, what)| *what).collect();
        assert_eq!(what, ["a comment", "a trailing comma", "a comment"]);
        assert_eq!(read.duplicates.len(), 1);
        assert_eq!(read.item.unwrap().get("a").unwrap().text(), Some("😀"));
    }

    #[test]
    fn the_first_error_has_its_place() {
        for (text, start) in [("{\"a\" 1}", 5), ("[1 2]", 3), ("{a: 1}", 1), ("\"x", 1), ("", 0), ("[1]]", 3)]
        {
            let (place, _) = read(text).error.expect(text);
            assert_eq!(place.start(), start, "{text}");
        }
        assert!(read(&"[".repeat(10_000)).error.is_some());
    }

    proptest! {
        #[test]
        fn valid_json_is_read_as_by_other_readers(pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\\u00e9\"", "1", "-2.5", "true", "null", " ", "\n", "\"é\"", "\\", "\"",
        ]), 0..24)) {
            let text = pieces.concat();
            let ours = read(&text);
            if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(&text) {
                prop_assert_eq!(plain(&ours.item.expect("it is valid")), theirs);
            }
            if let Some((place, _)) = ours.error {
                prop_assert!(place.end() as usize <= text.len());
            }
        }
    }
}
