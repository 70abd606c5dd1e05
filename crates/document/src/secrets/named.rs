//! Values of keys that name secrets, in texts: `apiKey: …`, `"token": "…"`, `DB_PASSWORD=…`, `--password …`.
//!
//! The text is read as it is, in one pass and without a parser, so a broken file shows no more than a right one.

use std::ops::Range;

use super::names::is_about;
use super::placeholder::distinct;
use super::{Naming, Reading, naming};

/// How long a name is at most.
const MAX_NAME: usize = 128;
/// How long a word must be to look random where its key alone says too little.
const LEAST_RANDOM: usize = 8;
/// How long a word must be to be taken for a secret in a text for readers.
const LEAST_IN_PROSE: usize = 6;
/// How long the name of a user before a host is at least if it is a token.
const LEAST_USER_TOKEN: usize = 16;

/// Returns what of a text is the value of a key that names a secret, in its order and without overlaps.
pub fn named(text: &str, reading: Reading) -> Vec<Range<usize>> {
    let mut scan =
        Scan { text, reading, found: Vec::new(), block: None, is_secret_table: false, is_head: false };
    let mut at = 0;
    while at < text.len() {
        let end =
            text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| at + length + 1);
        // A value may reach into the lines after it.
        at = scan.line(at, end).max(end);
    }
    scan.found
}

/// Returns whether a single value under a key of this kind is a secret.
pub(super) fn is_secret_word(word: &str, naming: Naming, reading: Reading) -> bool {
    if is_reference(word) {
        return false;
    }
    match (naming, reading) {
        (Naming::Ordinary, _) => false,
        (Naming::Variable, _) => !is_variable(word) && is_random(word, LEAST_RANDOM),
        (Naming::Secret, Reading::Settings) => true,
        (Naming::Scalar, Reading::Settings) => !word.contains(' '),
        (Naming::Weak, Reading::Settings) => is_random(word, LEAST_RANDOM),
        (Naming::Secret, _) => is_random(word, LEAST_IN_PROSE),
        (Naming::Scalar | Naming::Weak, _) => is_random(word, LEAST_USER_TOKEN),
    }
}

/// Returns whether a value says where a secret is, or that there is none.
fn is_reference(word: &str) -> bool {
    let word = word.trim();
    let name = word.strip_prefix('$').unwrap_or_default();
    let is_variable_reference =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    word.is_empty()
        || is_variable_reference
        || (["${", "{env:", "{file:"].iter().any(|open| word.starts_with(open)) && word.ends_with('}'))
        || (word.starts_with("{{") && word.ends_with("}}"))
        || (word.starts_with('<') && word.ends_with('>'))
        || word.chars().all(|c| "*….•".contains(c))
        || ["null", "~", "true", "false", "none", "yes", "no", "on", "off"]
            .iter()
            .any(|own| word.eq_ignore_ascii_case(own))
}

/// Returns whether a word is the name of an environment variable.
fn is_variable(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Returns whether a word has letters and digits, as made-up secrets have.
fn is_random(word: &str, least: usize) -> bool {
    word.len() >= least
        && !word.contains(char::is_whitespace)
        && !word.contains(['`', '<', '(', '*'])
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && distinct(word) >= LEAST_IN_PROSE.min(least)
}

/// A value that goes on in the lines below its key.
#[derive(Clone, Copy)]
struct Block {
    /// How far its key is indented; what is indented further belongs to it.
    indent: usize,
    /// Whether items of a list belong to it that are indented as the key is.
    has_items: bool,
    naming: Naming,
    /// Whether it is text, in which `name:` is not a key.
    is_text: bool,
}

struct Scan<'t> {
    text: &'t str,
    reading: Reading,
    found: Vec<Range<usize>>,
    block: Option<Block>,
    /// Whether the values are those of a table of TOML whose name names a secret.
    is_secret_table: bool,
    /// Whether the line is in the settings at the head of a text for readers.
    is_head: bool,
}

impl Scan<'_> {
    /// Finds the values of the line between `start` and `end`, and returns where the last of them ends.
    fn line(&mut self, start: usize, end: usize) -> usize {
        let text = self.text;
        let line = text.get(start..end).unwrap_or_default();
        let content = line.trim();
        if self.reading == Reading::Prose && content == "---" {
            self.is_head = start == 0;
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
                return self.below(block, start + indent, end);
            }
            self.block = None;
        }
        let table = content.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name);
        if let Some(table) = table.filter(|name| line.starts_with('[') && !name.contains([',', ':']))
            && self.is_settings()
        {
            let name = table.trim_start_matches('[').rsplit('.').next().unwrap_or_default();
            self.is_secret_table = naming(name.trim().trim_matches(['"', '\''])) == Naming::Secret;
            return end;
        }
        self.pairs(start, end, indent)
    }

    fn is_settings(&self) -> bool {
        self.reading == Reading::Settings || self.is_head
    }

    fn effective(&self) -> Reading {
        if self.is_head { Reading::Settings } else { self.reading }
    }

    /// Hides a line of a block.
    fn below(&mut self, block: Block, start: usize, end: usize) -> usize {
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
                let is_shown = is_about(name.trim().trim_matches(['"', '\'']));
                let from = start + name.len() + 1 + (value.len() - value.trim_start().len());
                if is_shown || value.trim().is_empty() {
                    return end;
                }
                return self.value(
                    from,
                    end,
                    if block.naming == Naming::Ordinary { Naming::Secret } else { block.naming },
                    Place::Line { indent: block.indent, is_flow: false },
                );
            }
        }
        let content = content.trim_end();
        if is_secret_word(content, block.naming, Reading::Settings) {
            self.found.push(start..start + content.len());
        }
        end
    }

    /// Finds keys and their values in a line.
    fn pairs(&mut self, start: usize, end: usize, indent: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        let mut at = start;
        while at < end {
            let Some(byte) = bytes.get(at).copied() else { break };
            let next = match byte {
                b'{' | b'[' => {
                    depth += 1;
                    None
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    None
                }
                b':' if self.text.get(at..).is_some_and(|rest| rest.starts_with("://")) => self.user_info(at),
                b':' => self.after_colon(at, start, end, indent, depth > 0),
                b'=' => self.after_equals(at, start, end),
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
        let naming = naming(name);
        if naming == Naming::Ordinary {
            return None;
        }
        let from = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        Some(self.value(
            from,
            end,
            naming,
            Place::Line { indent: self.key_indent(start, at, indent), is_flow },
        ))
    }

    /// Returns how far the key is indented; that of the first key of an item of a list is where the key begins.
    fn key_indent(&self, start: usize, at: usize, indent: usize) -> usize {
        let mut line = self.text.get(start + indent..at).unwrap_or_default();
        let mut indent = indent;
        while let Some(rest) = line.strip_prefix("- ") {
            let key = rest.trim_start_matches(' ');
            indent += line.len() - key.len();
            line = key;
        }
        indent
    }

    fn after_equals(&mut self, at: usize, start: usize, end: usize) -> Option<usize> {
        let name = name_before(self.text, start, at, false)?;
        let naming = if self.is_secret_table && !is_about(name) { Naming::Secret } else { naming(name) };
        if naming == Naming::Ordinary || self.text.as_bytes().get(at + 1) == Some(&b'=') {
            return None;
        }
        let rest = self.text.get(at + 1..end).unwrap_or_default();
        let from = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let line = self.text.get(start..at).unwrap_or_default().trim();
        let is_assignment = line.strip_prefix("export ").unwrap_or(line).trim() == name && from == at + 1;
        let place = if is_assignment && self.is_settings() { Place::Assignment } else { Place::Word };
        // What follows `?token=` is a value, also in a message.
        let is_parameter = line.strip_suffix(name).is_some_and(|before| before.ends_with(['?', '&']));
        let reading = self.reading;
        if is_parameter && reading == Reading::Message {
            self.reading = Reading::Settings;
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
        let naming = naming(name);
        if !matches!(naming, Naming::Secret | Naming::Weak) || after.starts_with('=') {
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
        let end = self.text.get(from..)?.find('\n').map_or(self.text.len(), |length| from + length);
        Some(self.value(from, end, naming, Place::Word))
    }

    /// Hides the password before a host, or a token there.
    fn user_info(&mut self, at: usize) -> Option<usize> {
        let start = at + 3;
        let rest = self.text.get(start..)?;
        let ends = |c: char| c.is_whitespace() || "\"'`<>(),/?#\\".contains(c);
        let authority = rest.get(..rest.find(ends).unwrap_or(rest.len()))?;
        let (account, _) = authority.rsplit_once('@')?;
        let (from, word, naming) = match account.split_once(':') {
            Some((user, password)) => (start + user.len() + 1, password, Naming::Secret),
            None => (start, account, Naming::Weak),
        };
        let is_secret = match naming {
            Naming::Weak => is_random(word, LEAST_USER_TOKEN),
            // A form that is shown to readers is for `find` to judge.
            _ => self.effective() != Reading::Prose && is_secret_word(word, naming, Reading::Settings),
        };
        let end = from + word.len();
        is_secret.then(|| self.found.push(from..end))?;
        Some(end)
    }

    /// Hides the value that begins at `from`, if it is a secret, and returns where it ends.
    fn value(&mut self, from: usize, end: usize, naming: Naming, place: Place) -> usize {
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
                    if self.is_settings() && !is_flow && (naming == Naming::Secret || is_header) {
                        self.block = Some(Block { indent, has_items: is_empty, naming, is_text: is_header });
                    }
                    if is_empty || is_header {
                        return end;
                    }
                }
                let mut word = content;
                if is_flow || reading != Reading::Settings {
                    word = word.split([',', '}', ']']).next().unwrap_or_default();
                }
                if let Some((before, _)) = word.split_once(" #") {
                    word = before;
                }
                if reading != Reading::Settings {
                    word = word
                        .split_whitespace()
                        .next()
                        .unwrap_or_default()
                        .trim_end_matches(['.', ';', ')', '"', '\'', '`']);
                }
                let word = word.trim_end();
                if self.hide(from, word, naming, reading) && !is_flow && self.is_settings() {
                    // A plain value may go on below.
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

    /// Hides a single value, but for the scheme of an `Authorization` header.
    fn hide(&mut self, from: usize, word: &str, naming: Naming, reading: Reading) -> bool {
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

    /// Hides the values in a mapping or list in brackets.
    fn flow(&mut self, from: usize, naming: Naming) -> usize {
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
                        is_shown = is_about(word);
                    } else if !is_shown {
                        self.hide(
                            from + start,
                            word,
                            if naming == Naming::Scalar { Naming::Ordinary } else { naming },
                            Reading::Settings,
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

/// What a value that is not in quotes ends with.
#[derive(Clone, Copy)]
enum Place {
    /// Its line, as in YAML; in brackets, the next sign there.
    Line { indent: usize, is_flow: bool },
    /// Its line, as in a file of variables.
    Assignment,
    /// Its word.
    Word,
}

fn is_flag(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1) == Some(&b'-')
        && bytes.get(at + 2).is_some_and(u8::is_ascii_alphabetic)
        && at
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
}

/// Returns where a text in quotes ends that were opened by `quote`.
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

/// Returns the name that ends before the sign at `at`, quoted or not.
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

#[cfg(test)]
#[path = "named_tests.rs"]
mod tests;
