//! Search for keys and their values, line by line.
//!
//! Each byte is examined a bounded number of times: searches in a whole line happen once per line.

use std::ops::Range;

use super::named_values::{MIN_USER_TOKEN, is_random, is_secret_word};
use super::names::is_metadata_key;
use super::pairs::{Pair, PairRole};
use super::scan_value::Place;
use super::{KeyClass, TextKind, classify_key};

/// The maximum length of a name.
pub(super) const MAX_NAME: usize = 128;

/// A value that continues on the lines after its key.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// The indentation of its key; lines with more indentation belong to the value.
    pub(super) indent: usize,
    /// Whether list items with the indentation of the key belong to the value.
    pub(super) has_items: bool,
    pub(super) naming: KeyClass,
    /// Whether it is text, in which `name:` is not a key.
    pub(super) is_text: bool,
}

/// The state of a scan.
pub(super) struct Scan<'t> {
    pub(super) text: &'t str,
    pub(super) reading: TextKind,
    /// The ranges found; a value may be added after later ones, if its name comes after it.
    pub(super) found: Vec<Range<usize>>,
    pub(super) block: Option<Block>,
    pair: Pair,
    /// Whether the values are in a TOML table whose name names a secret.
    is_secret_table: bool,
    /// Whether the line is in the front matter of prose.
    is_front_matter: bool,
}

impl<'t> Scan<'t> {
    /// Returns a scan at the start of a string.
    pub(super) fn new(text: &'t str, reading: TextKind) -> Self {
        Self {
            text,
            reading,
            found: Vec::new(),
            block: None,
            pair: Pair::default(),
            is_secret_table: false,
            is_front_matter: false,
        }
    }
}

impl Scan<'_> {
    /// Finds the values of the line between `start` and `end`, and returns the end of the last one.
    pub(super) fn line(&mut self, start: usize, end: usize) -> usize {
        let text = self.text;
        let line = text.get(start..end).unwrap_or_default();
        let content = line.trim();
        if self.reading == TextKind::Prose && content == "---" {
            self.is_front_matter = start == 0;
            self.block = None;
            return end;
        }
        if content.is_empty() {
            return end;
        }
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(block) = self.block {
            let is_below = indent > block.indent
                || (block.has_items
                    && indent == block.indent
                    && (content.starts_with("- ") || content == "-"));
            if is_below {
                return self.scan_block_line(block, start + indent, end);
            }
            self.block = None;
        }
        if !content.starts_with('#') {
            self.pair.begin_line(content, indent);
        }
        let table = content.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name);
        if let Some(table) = table.filter(|name| line.starts_with('[') && !name.contains([',', ':']))
            && self.is_settings()
        {
            let name = table.trim_start_matches('[').rsplit('.').next().unwrap_or_default();
            self.is_secret_table = classify_key(name.trim().trim_matches(['"', '\''])) == KeyClass::Secret;
            return end;
        }
        // The value of a flag may be in the next line.
        self.pairs(start + indent, start + line.trim_end().len(), indent).max(end)
    }

    pub(super) fn is_settings(&self) -> bool {
        self.reading == TextKind::Settings || self.is_front_matter
    }

    pub(super) fn effective(&self) -> TextKind {
        if self.is_front_matter { TextKind::Settings } else { self.reading }
    }

    /// Hides a line of a block.
    fn scan_block_line(&mut self, block: Block, start: usize, end: usize) -> usize {
        let line = self.text.get(start..end).unwrap_or_default();
        let content = line.trim_start_matches("- ").trim_start();
        let start = start + (line.len() - content.len());
        if !block.is_text {
            if content.starts_with('#') {
                return end;
            }
            if let Some((name, value)) = content
                .split_once(':')
                .filter(|(_, rest)| rest.starts_with([' ', '\n', '\r']) || rest.is_empty())
            {
                let is_shown = is_metadata_key(name.trim().trim_matches(['"', '\'']));
                let from = start + name.len() + 1 + (value.len() - value.trim_start().len());
                if is_shown || value.trim().is_empty() {
                    return end;
                }
                return self.value(
                    from,
                    end,
                    if block.naming == KeyClass::Ordinary { KeyClass::Secret } else { block.naming },
                    Place::Line { indent: block.indent, is_flow: false },
                );
            }
        }
        let content = content.trim_end();
        if is_secret_word(content, block.naming, TextKind::Settings) {
            self.found.push(start..start + content.len());
        }
        end
    }

    /// Finds keys and their values in a line.
    fn pairs(&mut self, start: usize, end: usize, indent: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        let key_indent = self.key_indent(start, end, indent);
        let mut at = start;
        while at < end {
            let Some(byte) = bytes.get(at).copied() else { break };
            let next = match byte {
                b'{' | b'[' => {
                    depth += 1;
                    self.turn(byte);
                    None
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.turn(byte);
                    None
                }
                b':' if self.text.get(at..).is_some_and(|rest| rest.starts_with("://")) => self.user_info(at),
                b':' => self.after_colon(at, start, end, key_indent, depth > 0),
                b'=' => self.after_equals(at, start, end, (depth == 0).then_some(key_indent)),
                b'-' if is_flag(bytes, at) => self.flag(at),
                _ => None,
            };
            at = next.unwrap_or(at + 1).max(at + 1);
        }
        at
    }

    fn after_colon(
        &mut self,
        at: usize,
        start: usize,
        end: usize,
        indent: usize,
        is_flow: bool,
    ) -> Option<usize> {
        let name = name_before(self.text, start, at, true)?;
        let rest = self.text.get(at + 1..end).unwrap_or_default();
        let is_quoted =
            self.text.get(..at).is_some_and(|before| before.trim_end().ends_with(['"', '\'', '`']));
        if !is_quoted && !rest.is_empty() && !rest.starts_with([' ', '\t', '\n', '\r']) {
            return None;
        }
        let from = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let place = Place::Line { indent, is_flow };
        let naming = self.naming_in_pair(name, (from, end), (!is_flow).then_some(indent), place);
        if naming == KeyClass::Ordinary {
            return None;
        }
        Some(self.value(from, end, naming, place))
    }

    /// Returns the naming of a key, or of the name beside it if the key is `value`.
    fn naming_in_pair(
        &mut self,
        key: &str,
        (from, end): (usize, usize),
        indent: Option<usize>,
        place: Place,
    ) -> KeyClass {
        let own = classify_key(key);
        match PairRole::of(key) {
            None => own,
            Some(PairRole::Value) => self.pair.value(indent, from, end).unwrap_or(own),
            Some(PairRole::Name) => {
                let name = plain_value(self.text.get(from..end).unwrap_or_default());
                if let Some((from, end, naming)) = name.and_then(|name| self.pair.name(indent, name)) {
                    // The continuation of the value was already scanned.
                    let block = self.block;
                    self.value(from, end, naming, place);
                    self.block = block;
                }
                own
            }
        }
    }

    fn turn(&mut self, byte: u8) {
        if matches!(byte, b'{' | b'}') {
            self.pair.end_pair();
        }
    }

    /// Returns the indentation of the first key of a line; for an item of a list, the position of the key.
    fn key_indent(&self, start: usize, end: usize, indent: usize) -> usize {
        let mut line = self.text.get(start..end).unwrap_or_default();
        let mut indent = indent;
        while let Some(rest) = line.strip_prefix("- ") {
            let key = rest.trim_start_matches(' ');
            indent += line.len() - key.len();
            line = key;
        }
        indent
    }

    fn after_equals(&mut self, at: usize, start: usize, end: usize, indent: Option<usize>) -> Option<usize> {
        let name = name_before(self.text, start, at, false)?;
        let rest = self.text.get(at + 1..end).unwrap_or_default();
        let from = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let line = self.text.get(start..at).unwrap_or_default().trim_end();
        // In a long line there may be many such keys, so its beginning is not examined for each.
        let is_alone = |line: &str| line.strip_prefix("export ").unwrap_or(line).trim() == name;
        let is_assignment = line.len() <= 2 * MAX_NAME && is_alone(line.trim_start()) && from == at + 1;
        let place = if is_assignment && self.is_settings() { Place::Assignment } else { Place::Word };
        let naming = if self.is_secret_table && !is_metadata_key(name) {
            KeyClass::Secret
        } else {
            self.naming_in_pair(name, (from, end), indent, place)
        };
        if naming == KeyClass::Ordinary || self.text.as_bytes().get(at + 1) == Some(&b'=') {
            return None;
        }
        // What follows `?token=` is a value, also in a message.
        let is_parameter = line.strip_suffix(name).is_some_and(|before| before.ends_with(['?', '&']));
        let reading = self.reading;
        if is_parameter && reading == TextKind::Message {
            self.reading = TextKind::Settings;
        }
        let value = self.value(from, end, naming, place);
        self.reading = reading;
        Some(value)
    }

    /// Hides the value of `--name value`, also where both are items of a list.
    fn flag(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(at + 2..)?;
        let length = rest
            .bytes()
            .take(MAX_NAME)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            .count();
        let (name, after) = rest.split_at_checked(length)?;
        let naming = classify_key(name);
        if !matches!(naming, KeyClass::Secret | KeyClass::Weak) || after.starts_with('=') {
            return None;
        }
        let mut from = at + 2 + length;
        let skip = |from: &mut usize, set: &[char]| {
            let rest = self.text.get(*from..).unwrap_or_default();
            let kept = rest.trim_start_matches(set);
            *from += rest.len() - kept.len();
            rest.len() != kept.len()
        };
        let is_quoted = self.text.get(from..).is_some_and(|rest| rest.starts_with(['"', '\'']));
        from += usize::from(is_quoted);
        let is_spaced = skip(&mut from, &[' ', '\t']);
        let rest = self.text.get(from..).unwrap_or_default();
        if rest.starts_with(',') {
            from += 1;
            skip(&mut from, &[' ', '\t', '\r', '\n']);
        } else if rest.starts_with(['\n', '\r']) {
            skip(&mut from, &[' ', '\t', '\r', '\n']);
            let item = self.text.get(from..)?.strip_prefix("- ")?;
            from += 2 + (item.len() - item.trim_start_matches(' ').len());
        } else if !is_spaced {
            return None;
        }
        if self.text.get(from..)?.starts_with("--") {
            return None;
        }
        Some(self.value(from, from, naming, Place::Word))
    }

    /// Hides the password in front of a host, or a token there.
    fn user_info(&mut self, at: usize) -> Option<usize> {
        let start = at + 3;
        let rest = self.text.get(start..)?;
        let ends = |c: char| c.is_whitespace() || "\"'`<>(),/?#\\".contains(c);
        let authority = rest.get(..rest.find(ends).unwrap_or(rest.len()))?;
        let (account, _) = authority.rsplit_once('@')?;
        let (from, word, naming) = match account.split_once(':') {
            Some((user, password)) => (start + user.len() + 1, password, KeyClass::Secret),
            None => (start, account, KeyClass::Weak),
        };
        let is_secret = match naming {
            KeyClass::Weak => is_random(word, MIN_USER_TOKEN),
            // An example in prose is left to `find`.
            _ => self.effective() != TextKind::Prose && is_secret_word(word, naming, TextKind::Settings),
        };
        let end = from + word.len();
        is_secret.then(|| self.found.push(from..end))?;
        Some(end)
    }
}

fn is_flag(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1) == Some(&b'-')
        && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic)
        && at
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
}

/// Returns the name that ends in front of the separator at `at`, quoted or not.
fn name_before(text: &str, start: usize, at: usize, is_colon: bool) -> Option<&str> {
    let line = text.get(start..at)?;
    let before = line.trim_end_matches([' ', '\t']);
    if let Some(quote) = before.chars().next_back().filter(|c| "\"'`".contains(*c)) {
        let inside = before.strip_suffix(quote)?;
        let name = inside.get(inside.rfind(quote)? + 1..)?;
        return Some(name).filter(|name| !name.is_empty() && name.len() <= MAX_NAME);
    }
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c) || (is_colon && c == '/');
    let mut from = before.len();
    for (start, c) in before.char_indices().rev() {
        if !is_part(c) || before.len() - start > MAX_NAME {
            break;
        }
        from = start;
    }
    before.get(from..).filter(|name| !name.is_empty())
}

/// Returns a scalar value, if it is as short as a name.
fn plain_value(text: &str) -> Option<&str> {
    let end = (0..=text.len().min(MAX_NAME + 2)).rev().find(|at| text.is_char_boundary(*at))?;
    let text = text.get(..end)?;
    match text.chars().next()? {
        quote @ ('"' | '\'') => text.get(1..)?.split_once(quote).map(|(name, _)| name),
        _ => text.split([',', '}', ' ', '\t']).next(),
    }
}
