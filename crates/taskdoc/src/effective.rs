//! The effective text of a task: the text that agents receive.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::section::{BEAR_IN_MIND, BEAR_IN_MIND_BLOCK, Section, TopLevel};
use crate::{BearInMind, Language, TaskCode, TaskError};

/// The default limit of the text in bytes.
pub const DEFAULT_BUDGET: usize = 100 * 1024;

/// The bodies of the injected sections, and the sections that could not be read.
#[derive(Clone, Debug, Default)]
pub struct InjectedBodies {
    bodies: BTreeMap<Section, String>,
    unread: BTreeMap<Section, TaskError>,
}

impl InjectedBodies {
    /// Returns the bodies of a package without sections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the body of a section, and returns the bodies.
    #[must_use]
    pub fn with(mut self, section: Section, body: impl Into<String>) -> Self {
        self.set(section, body.into());
        self
    }

    /// Sets the body of a section.
    pub fn set(&mut self, section: Section, body: String) {
        self.unread.remove(&section);
        self.bodies.insert(section, body);
    }

    /// Records that a section exists but could not be read.
    pub fn set_unread(&mut self, section: Section, error: TaskError) {
        self.bodies.remove(&section);
        self.unread.insert(section, error);
    }

    /// Returns the body of a section; none if it does not exist.
    pub fn get(&self, section: &Section) -> Option<&str> {
        self.bodies.get(section).map(String::as_str)
    }

    /// Returns the sections that exist but could not be read, with their path in the package and the reason.
    ///
    /// If no section of the category `bearinmind` could be read, the directory is reported once.
    pub fn unread(&self) -> Vec<(String, &TaskError)> {
        let is_directory_unread = self.unread_directory().is_some();
        let mut unread: Vec<(String, &TaskError)> = Vec::new();
        for (section, error) in &self.unread {
            let path = match section {
                Section::BearInMind(_) if is_directory_unread => format!("{BEAR_IN_MIND}/"),
                section => section.path(),
            };
            if unread.last().is_none_or(|(last, _)| *last != path) {
                unread.push((path, error));
            }
        }
        unread
    }

    /// Returns why the whole category `bearinmind` could not be read, if none of its sections could be read.
    fn unread_directory(&self) -> Option<&TaskError> {
        let mut errors = BearInMind::ALL.iter().map(|bear| self.unread.get(&Section::BearInMind(*bear)));
        let first = errors.next()??;
        errors.all(|error| error.is_some()).then_some(first)
    }
}

/// A section that is not completely in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteSection {
    /// The section.
    pub section: Section,
    /// The number of omitted bytes.
    pub omitted_bytes: usize,
}

/// The effective text of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveText {
    /// The text; no newline is added at the end.
    pub text: String,
    /// The shortened sections.
    pub cut: Vec<IncompleteSection>,
}

/// Writes the text.
impl fmt::Display for EffectiveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Renders the effective text of a task: the unmodified bodies of the injected sections, below fixed
/// headings.
///
/// The text has at most `budget` bytes, unless the goals and constraints alone are larger: these two are
/// always complete. What does not fit is omitted from the middle of the progress first, then from the
/// sections of `bearinmind`, the last one first; a line marks each omission. A section that could not be read
/// is replaced by a line that states this.
pub fn effective_text(bodies: &InjectedBodies, language: Language, budget: usize) -> EffectiveText {
    let mut parts = Parts::new(bodies, language);
    let mut cut = Vec::new();
    let mut over = parts.size(language).saturating_sub(budget);
    // The progress is shortened first; the total size includes the headings.
    for part in parts.0.iter_mut().rev() {
        if over == 0 {
            break;
        }
        let Part { section, body: Body::Text(body), .. } = part else { continue };
        if matches!(section, Section::Top(TopLevel::Goals | TopLevel::Constraints)) || body.is_empty() {
            continue;
        }
        let before = body.len();
        let (shorter, omitted_bytes) = shorten(body, before.saturating_sub(over), language);
        if shorter.len() < before {
            over = over.saturating_sub(before - shorter.len());
            cut.push(IncompleteSection { section: section.clone(), omitted_bytes });
            *body = Cow::Owned(shorter);
        }
    }
    cut.reverse();
    EffectiveText { text: parts.text(language), cut }
}

/// A section with the text below its heading.
struct Part<'b> {
    section: Section,
    /// Whether it has its own heading; an unreadable directory has only the heading of its block.
    has_heading: bool,
    body: Body<'b>,
}

enum Body<'b> {
    Text(Cow<'b, str>),
    /// The line in place of an unreadable section, which is never shortened.
    Unread(String),
}

/// The sections in the order of the text.
struct Parts<'b>(Vec<Part<'b>>);

impl<'b> Parts<'b> {
    fn new(bodies: &'b InjectedBodies, language: Language) -> Self {
        let mut parts = Vec::new();
        let mut unread = bodies.unread_directory();
        let is_directory_unread = unread.is_some();
        for section in Section::injected_sections() {
            if is_directory_unread && matches!(section, Section::BearInMind(_)) {
                if let Some(error) = unread.take() {
                    let line = unread_line(&format!("{BEAR_IN_MIND}/"), error, language);
                    parts.push(Part { section, has_heading: false, body: Body::Unread(line) });
                }
                continue;
            }
            let body = if let Some(error) = bodies.unread.get(&section) {
                Body::Unread(unread_line(&section.path(), error, language))
            } else {
                let body = bodies.get(&section).unwrap_or_default();
                if matches!(section, Section::BearInMind(_)) && body.trim().is_empty() {
                    continue;
                }
                Body::Text(Cow::Borrowed(body))
            };
            parts.push(Part { section, has_heading: true, body });
        }
        Self(parts)
    }

    fn text(&self, language: Language) -> String {
        let mut text = String::with_capacity(self.size(language));
        self.write(language, |part| text.push_str(part));
        text
    }

    /// Returns the size of the text in bytes.
    fn size(&self, language: Language) -> usize {
        let mut size = 0;
        self.write(language, |part| size += part.len());
        size
    }

    fn write(&self, language: Language, mut push: impl FnMut(&str)) {
        push(title(language));
        push("\n");
        let mut is_in_block = false;
        for Part { section, has_heading, body } in &self.0 {
            match section {
                Section::BearInMind(_) if is_in_block => {}
                Section::BearInMind(_) => {
                    push("\n");
                    push(BEAR_IN_MIND_BLOCK);
                    push("\n");
                }
                Section::Top(_) | Section::Extra { .. } => push("\n"),
            }
            if *has_heading {
                push(&section.heading());
                push("\n");
            }
            is_in_block = matches!(section, Section::BearInMind(_));
            match body {
                Body::Text(body) => push(body),
                Body::Unread(line) => push(line),
            }
            if *section != Section::PROGRESS {
                push("\n");
            }
        }
    }
}

/// Returns the line in place of an unreadable section.
fn unread_line(path: &str, error: &TaskError, language: Language) -> String {
    match language {
        Language::English => {
            let reason = match error.code {
                TaskCode::NotAFile => "it is not a regular file with a single hard link",
                TaskCode::InvalidUtf8 => "the file is not valid UTF-8",
                TaskCode::TooLarge => "the file is too large",
                _ => "the operating system denies access",
            };
            format!(
                "[The text of `{path}` is missing here: {reason}. Do not act as if it were empty: ask for it to be repaired.]\n"
            )
        }
        Language::Chinese => {
            let reason = match error.code {
                TaskCode::NotAFile => "该处不是只有一个名字的普通文件",
                TaskCode::InvalidUtf8 => "文件不是有效的 UTF-8",
                TaskCode::TooLarge => "文件过大",
                _ => "系统不允许读取",
            };
            format!("[此处缺少 `{path}` 的正文：{reason}。不要当作没有内容：请先让人修复。]\n")
        }
    }
}

/// Returns the first line of the text.
pub(crate) fn title(language: Language) -> &'static str {
    match language {
        Language::English => "# Taskdoc (Dialog Tree)",
        Language::Chinese => "# 差遣牒（对话树）",
    }
}

/// Returns a body without its middle, of at most `most` bytes including the line that marks the omission, and
/// the number of omitted bytes. If that line does not fit, the result is only the line.
fn shorten(body: &str, most: usize, language: Language) -> (String, usize) {
    let total = body.len();
    let longest = omission_line(total, total, language).len();
    let remaining = most.saturating_sub(longest);
    // The most relevant text is at the beginning or, where agents append, at the end.
    let head = line_end(body, remaining / 2);
    let tail = line_start(body, total.saturating_sub(remaining - head));
    let (head, tail) = (body.get(..head).unwrap_or_default(), body.get(tail..).unwrap_or_default());
    let omitted_bytes = total - head.len() - tail.len();
    (format!("{head}{}{tail}", omission_line(omitted_bytes, total, language)), omitted_bytes)
}

fn omission_line(omitted_bytes: usize, total: usize, language: Language) -> String {
    match language {
        Language::English => {
            format!(
                "\n[… {omitted_bytes} of the {total} bytes of this section are omitted here: shorten it …]\n"
            )
        }
        Language::Chinese => {
            format!("\n[…… 本章节共 {total} 字节，此处省略 {omitted_bytes} 字节：请精简本章节 ……]\n")
        }
    }
}

/// Returns the end of the last complete line within the first `most` bytes, or of the last complete
/// character.
fn line_end(body: &str, most: usize) -> usize {
    let end = body.floor_char_boundary(most);
    body.get(..end).and_then(|head| head.rfind('\n')).map_or(end, |newline| newline + 1)
}

/// Returns the start of the first complete line from `least` on, or of the first complete character.
fn line_start(body: &str, least: usize) -> usize {
    let start = body.ceil_char_boundary(least);
    let line = body.get(start..).and_then(|tail| tail.find('\n')).map(|newline| start + newline + 1);
    line.filter(|line| *line < body.len()).unwrap_or(start)
}

#[cfg(test)]
mod tests;
