//! The end of the value of a key, and whether it is a secret.

use super::named_values::is_secret_word;
use super::names::is_metadata_key;
use super::scan::{Block, Scan};
use super::{KeyClass, TextKind};

/// How an unquoted value ends.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// At the end of its line, as in YAML; in brackets, at the next indicator.
    Line { indent: usize, is_flow: bool },
    /// At the end of its line, as in a file of variables.
    Assignment,
    /// At the end of the word.
    Word,
}

impl Scan<'_> {
    /// Hides the value that begins at `from`, if it is a secret, and returns its end.
    pub(super) fn value(&mut self, from: usize, end: usize, naming: KeyClass, place: Place) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let line = self.text.get(from..end).unwrap_or_default();
        let reading = self.effective();
        match rest.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => {
                let (single, triple) = (String::from(quote), String::from_iter([quote; 3]));
                let open = if rest.starts_with(&triple) { triple.as_str() } else { single.as_str() };
                let inside = rest.get(open.len()..).unwrap_or_default();
                let length =
                    closing(inside, open).unwrap_or_else(|| inside.find('\n').unwrap_or(inside.len()));
                let word = inside.get(..length).unwrap_or_default();
                let (from, end) = (from + open.len(), from + open.len() + length);
                self.hide(from, word, naming, reading);
                return end + open.len();
            }
            Some('{' | '[') if self.is_settings() => return self.flow(from, naming),
            _ => {}
        }
        match place {
            Place::Line { indent, is_flow } => {
                let content = line.trim_end();
                let is_header = content.starts_with(['|', '>'])
                    && content
                        .bytes()
                        .skip(1)
                        .take_while(|byte| *byte != b' ')
                        .all(|b| matches!(b, b'+' | b'-' | b'0'..=b'9'));
                let is_empty = content.is_empty() || content.starts_with('#');
                if is_empty || is_header || content.starts_with(['&', '!']) {
                    if self.is_settings() && !is_flow && (naming == KeyClass::Secret || is_header) {
                        self.block = Some(Block { indent, has_items: is_empty, naming, is_text: is_header });
                    }
                    if is_empty || is_header {
                        return end;
                    }
                }
                let mut word = content;
                let mut from = from;
                if reading != TextKind::Settings {
                    // A line may contain many of these, so the text after the word is not examined.
                    let ends = |c: char| c.is_whitespace() || ",}]".contains(c);
                    from += word.len() - word.trim_start().len();
                    word = word.trim_start().split(ends).next().unwrap_or_default();
                    word = word.trim_end_matches(['.', ';', ')', '"', '\'', '`']);
                } else if is_flow {
                    word = word.split([',', '}', ']']).next().unwrap_or_default();
                }
                if let Some((before, _)) = word.split_once(" #") {
                    word = before;
                }
                let word = word.trim_end();
                if self.hide(from, word, naming, reading) && !is_flow && self.is_settings() {
                    // A plain value may continue on the next lines.
                    self.block = Some(Block { indent, has_items: false, naming, is_text: true });
                }
                from + word.len()
            }
            Place::Assignment => {
                let word = line.trim_end();
                self.hide(from, word, naming, reading);
                from + word.len()
            }
            Place::Word => {
                let ends = |c: char| c.is_whitespace() || "\"'`&,;)]}<>".contains(c);
                let word = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
                self.hide(from, word, naming, reading);
                from + word.len()
            }
        }
    }

    /// Hides a single value, except for the scheme of an `Authorization` header.
    fn hide(&mut self, from: usize, word: &str, naming: KeyClass, reading: TextKind) -> bool {
        let scheme = ["bearer ", "basic ", "token "]
            .iter()
            .find(|scheme| word.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        let skipped = scheme.map_or(0, |scheme| scheme.len());
        let secret = word.get(skipped..).unwrap_or_default();
        let is_secret = is_secret_word(secret, naming, reading);
        if is_secret {
            self.found.push(from + skipped..from + word.len());
        }
        is_secret
    }

    /// Hides the values in a flow collection.
    fn flow(&mut self, from: usize, naming: KeyClass) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let mut depth = 0_usize;
        let mut at = 0;
        let mut is_shown = false;
        while let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            match c {
                '{' | '[' => depth += 1,
                '}' | ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return from + at + 1;
                    }
                }
                ',' => is_shown = false,
                _ if c.is_whitespace() || c == ':' => {}
                _ => {
                    let (start, length, next) = match c {
                        '"' | '\'' => {
                            let inside = rest.get(at + 1..).unwrap_or_default();
                            let length = closing(inside, &c.to_string()).unwrap_or(inside.len());
                            (at + 1, length, at + 2 + length)
                        }
                        _ => {
                            let word = rest.get(at..).unwrap_or_default();
                            let ends = |(at, c): (usize, char)| {
                                (",{}[]\n".contains(c)
                                    || (c == ':'
                                        && word
                                            .get(at + 1..)
                                            .is_some_and(|rest| rest.starts_with([' ', '\n']))))
                                .then_some(at)
                            };
                            let length = word.char_indices().find_map(ends).unwrap_or(word.len());
                            let length = word.get(..length).unwrap_or_default().trim_end().len();
                            (at, length, at + length)
                        }
                    };
                    let word = rest.get(start..start + length).unwrap_or_default();
                    let after = rest.get(next..).unwrap_or_default().trim_start();
                    if after.starts_with(':') {
                        is_shown = is_metadata_key(word);
                    } else if !is_shown {
                        self.hide(
                            from + start,
                            word,
                            if naming == KeyClass::Scalar { KeyClass::Ordinary } else { naming },
                            TextKind::Settings,
                        );
                    }
                    at = next.max(at + 1);
                    continue;
                }
            }
            at += c.len_utf8();
        }
        self.text.len()
    }
}

/// Returns the end of a quoted string that was opened by `quote`.
fn closing(inside: &str, quote: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(quote) {
            // A quote in single quotes is written twice.
            if quote == "'" && rest.starts_with("''") {
                at += 2;
                continue;
            }
            return Some(at);
        }
        let c = rest.chars().next()?;
        at += c.len_utf8();
        if c == '\\' && quote.starts_with('"') {
            at += inside.get(at..)?.chars().next().map_or(0, char::len_utf8);
        }
    }
    None
}
