//! The text that agents are given of a task.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::section::{BEAR_IN_MIND, BEAR_IN_MIND_BLOCK, Section, TopLevel};
use crate::{BearInMind, Language, TaskCode, TaskError};

/// How many bytes the text has at most unless something else is asked for.
pub const DEFAULT_BUDGET: usize = 100 * 1024;

/// What the sections that are always in the context hold, and which of them could not be read.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    texts: BTreeMap<Section, String>,
    unread: BTreeMap<Section, TaskError>,
}

impl Bodies {
    /// Returns a package without sections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what a section holds, and returns the bodies.
    #[must_use]
    pub fn with(mut self, section: Section, body: impl Into<String>) -> Self {
        self.set(section, body.into());
        self
    }

    /// Sets what a section holds.
    pub fn set(&mut self, section: Section, body: String) {
        self.unread.remove(&section);
        self.texts.insert(section, body);
    }

    /// Records that a section exists and could not be read.
    pub fn set_unread(&mut self, section: Section, error: TaskError) {
        self.texts.remove(&section);
        self.unread.insert(section, error);
    }

    /// Returns what a section holds; none if it is not there.
    pub fn get(&self, section: &Section) -> Option<&str> {
        self.texts.get(section).map(String::as_str)
    }

    /// Returns what exists and could not be read, each with its path in the package and the reason.
    ///
    /// Where no section of the category `bearinmind` could be read, the reason is the directory's, and it is named once.
    pub fn unread(&self) -> Vec<(String, &TaskError)> {
        let is_named_once = self.lost_directory().is_some();
        let mut unread: Vec<(String, &TaskError)> = Vec::new();
        for (section, error) in &self.unread {
            let path = match section {
                Section::BearInMind(_) if is_named_once => format!("{BEAR_IN_MIND}/"),
                section => section.path(),
            };
            if unread.last().is_none_or(|(last, _)| *last != path) {
                unread.push((path, error));
            }
        }
        unread
    }

    /// Returns why the whole category `bearinmind` could not be read, if none of its sections could.
    fn lost_directory(&self) -> Option<&TaskError> {
        let mut errors = BearInMind::ALL.iter().map(|bear| self.unread.get(&Section::BearInMind(*bear)));
        let first = errors.next()??;
        errors.all(|error| error.is_some()).then_some(first)
    }
}

/// A section of which not all is in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The section.
    pub section: Section,
    /// How many bytes of it are left out.
    pub left_out: usize,
}

/// The text that agents are given of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The text; no newline is added at its end.
    pub text: String,
    /// The sections of which not all is in it.
    pub cut: Vec<Cut>,
}

/// Returns the text that agents are given of a task: the sections that are always in the context, byte for byte, below
/// headings that are always the same.
///
/// It has at most `budget` bytes if the goals and the constraints leave room: these two are always whole. What does not fit
/// is left out of the middle of the progress first, then of what is to be borne in mind, the last first, and a line says so
/// where it is left out. In place of a section that could not be read there is one line that says so.
pub fn effective(bodies: &Bodies, language: Language, budget: usize) -> Effective {
    let mut parts = Parts::new(bodies, language);
    let mut cut = Vec::new();
    let mut over = parts.size(language).saturating_sub(budget);
    // The progress first; the frame is counted with it.
    for part in parts.0.iter_mut().rev() {
        if over == 0 {
            break;
        }
        let Part { section, body: Body::Text(body), .. } = part else { continue };
        if matches!(section, Section::Top(TopLevel::Goals | TopLevel::Constraints)) || body.is_empty() {
            continue;
        }
        let before = body.len();
        let (shorter, left_out) = shorten(body, before.saturating_sub(over), language);
        if shorter.len() < before {
            over = over.saturating_sub(before - shorter.len());
            cut.push(Cut { section: section.clone(), left_out });
            *body = Cow::Owned(shorter);
        }
    }
    cut.reverse();
    Effective { text: parts.text(language), cut }
}

/// A section with what stands below its heading.
struct Part<'b> {
    section: Section,
    /// Whether it has a heading of its own; a directory that could not be read has only that of its block.
    has_heading: bool,
    body: Body<'b>,
}

enum Body<'b> {
    Text(Cow<'b, str>),
    /// The line in place of what could not be read, which is never cut.
    Unread(String),
}

/// The sections with their bodies, in the order in which they stand in the text.
struct Parts<'b>(Vec<Part<'b>>);

impl<'b> Parts<'b> {
    fn new(bodies: &'b Bodies, language: Language) -> Self {
        let mut parts = Vec::new();
        let mut lost = bodies.lost_directory();
        let is_lost = lost.is_some();
        for section in Section::injected() {
            if is_lost && matches!(section, Section::BearInMind(_)) {
                if let Some(error) = lost.take() {
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

    /// Returns how many bytes the text has.
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

/// Returns the line that is given in place of what could not be read.
fn unread_line(path: &str, error: &TaskError, language: Language) -> String {
    match language {
        Language::English => {
            let reason = match error.code {
                TaskCode::NotAFile => "something other than a regular file with one name is there",
                TaskCode::InvalidUtf8 => "the file is not valid UTF-8",
                TaskCode::TooLarge => "the file is too large",
                _ => "the system does not let it be read",
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

/// Returns a body without its middle, of at most `most` bytes with the line that says so, and how many bytes are left out.
/// Where not even that line fits, it alone is there.
fn shorten(body: &str, most: usize, language: Language) -> (String, usize) {
    let total = body.len();
    let longest = notice(total, total, language).len();
    let kept = most.saturating_sub(longest);
    // What matters most now stands at the beginning or, where people append, at the end.
    let head = line_end(body, kept / 2);
    let tail = line_start(body, total.saturating_sub(kept - head));
    let (head, tail) = (body.get(..head).unwrap_or_default(), body.get(tail..).unwrap_or_default());
    let left_out = total - head.len() - tail.len();
    (format!("{head}{}{tail}", notice(left_out, total, language)), left_out)
}

fn notice(left_out: usize, total: usize, language: Language) -> String {
    match language {
        Language::English => {
            format!("\n[… {left_out} of the {total} bytes of this section are left out here: shorten it …]\n")
        }
        Language::Chinese => {
            format!("\n[…… 本章节共 {total} 字节，此处省略 {left_out} 字节：请精简本章节 ……]\n")
        }
    }
}

/// Returns the end of the last whole line within the first `most` bytes, or of the last whole character.
fn line_end(body: &str, most: usize) -> usize {
    let end = body.floor_char_boundary(most);
    body.get(..end).and_then(|head| head.rfind('\n')).map_or(end, |newline| newline + 1)
}

/// Returns the start of the first whole line from `least` on, or of the first whole character.
fn line_start(body: &str, least: usize) -> usize {
    let start = body.ceil_char_boundary(least);
    let line = body.get(start..).and_then(|tail| tail.find('\n')).map(|newline| start + newline + 1);
    line.filter(|line| *line < body.len()).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sections: &[(&str, &str)], language: Language) -> String {
        let mut bodies = Bodies::new();
        for (section, body) in sections {
            bodies.set(Section::parse_whole(section).unwrap(), (*body).to_owned());
        }
        effective(&bodies, language, DEFAULT_BUDGET).text
    }

    #[test]
    fn the_frame_is_the_recorded_one() {
        let english = |sections: &[(&str, &str)]| text(sections, Language::English);
        assert_eq!(
            english(&[("goals", "G1\nG2\n"), ("constraints", "- C"), ("progress", "P\n\n")]),
            "# Taskdoc (Dialog Tree)\n\n## Goals\nG1\nG2\n\n\n## Constraints\n- C\n\n## Progress\nP\n\n"
        );
        let empty = "\n\n## Goals\n\n\n## Constraints\n\n\n## Progress\n";
        assert_eq!(english(&[]), format!("# Taskdoc (Dialog Tree){empty}"));
        assert_eq!(text(&[], Language::Chinese), format!("# 差遣牒（对话树）{empty}"));
        assert_eq!(english(&[("bearinmind/grants", " \n\t")]), format!("# Taskdoc (Dialog Tree){empty}"));
        assert_eq!(
            english(&[
                ("progress", "P"),
                ("bearinmind/risks", "R\n"),
                ("bearinmind/contracts", "C"),
                ("ux/x", "X")
            ]),
            "# Taskdoc (Dialog Tree)\n\n## Goals\n\n\n## Constraints\n\n\n## Bear In Mind\n### contracts.md\nC\n\
             ### risks.md\nR\n\n\n## Progress\nP"
        );
    }

    #[test]
    fn goals_and_constraints_are_whole_and_the_rest_is_cut_where_it_is_seen() {
        let line = "0123456789abcdef\n";
        let bodies = |progress: usize, risks: usize| {
            Bodies::new()
                .with(Section::GOALS, line.repeat(50))
                .with(Section::CONSTRAINTS, line.repeat(50))
                .with(Section::parse_whole("bearinmind/risks").unwrap(), line.repeat(risks))
                .with(Section::PROGRESS, format!("first\n{}last\n", line.repeat(progress)))
        };
        let whole = effective(&bodies(100, 50), Language::English, DEFAULT_BUDGET);
        assert!(whole.cut.is_empty());
        for (budget, cut) in [(4_000, "progress"), (3_000, "progress"), (2_300, "bearinmind/risks progress")]
        {
            let shorter = effective(&bodies(100, 50), Language::English, budget);
            let names: Vec<String> = shorter.cut.iter().map(|cut| cut.section.to_string()).collect();
            assert_eq!(names.join(" "), cut, "{budget}");
            assert!(shorter.text.len() <= budget, "{budget}: {}", shorter.text.len());
            let whole = format!("## Goals\n{0}\n\n## Constraints\n{0}\n", line.repeat(50));
            assert!(shorter.text.contains(&whole), "{budget}");
            assert!(budget < 3_000 || (shorter.text.contains("first\n") && shorter.text.ends_with("last\n")));
        }
        let tiny = effective(&bodies(100, 50), Language::Chinese, 0);
        assert_eq!(tiny.text.matches(line).count(), 100);
        assert_eq!(tiny.text.matches("省略").count(), 2);
    }

    #[track_caller]
    fn unread(sections: &[(&str, TaskCode)]) -> Bodies {
        let mut bodies = Bodies::new();
        for section in Section::injected() {
            bodies.set(section.clone(), format!("text of {section}\n"));
        }
        for (section, code) in sections {
            let section = Section::parse_whole(section).unwrap();
            bodies.set_unread(section, TaskError::new(*code, "it cannot be read"));
        }
        bodies
    }

    #[test]
    fn one_line_replaces_what_cannot_be_read_and_all_else_is_given() {
        for lost in Section::injected() {
            let bodies = unread(&[(&lost.to_string(), TaskCode::InvalidUtf8)]);
            for (language, line) in [
                (
                    Language::English,
                    format!("[The text of `{}` is missing here: the file is not valid UTF-8.", lost.path()),
                ),
                (Language::Chinese, format!("[此处缺少 `{}` 的正文：文件不是有效的 UTF-8。", lost.path())),
            ] {
                // Also where nothing but what must not be cut has room.
                for budget in [DEFAULT_BUDGET, 0] {
                    let text = effective(&bodies, language, budget).text;
                    assert_eq!(text.lines().filter(|found| found.starts_with(&line)).count(), 1, "{text}");
                    assert!(text.contains(&format!("{}\n[", lost.heading())), "{text}");
                }
                let text = effective(&bodies, language, DEFAULT_BUDGET).text;
                for section in Section::injected().filter(|section| *section != lost) {
                    assert!(text.contains(&format!("{}\ntext of {section}\n", section.heading())), "{text}");
                }
            }
            assert_eq!(bodies.unread().iter().map(|(path, _)| path).collect::<Vec<_>>(), [&lost.path()]);
        }
    }

    #[test]
    fn a_directory_that_cannot_be_read_is_named_once() {
        let all: Vec<String> =
            BearInMind::ALL.iter().map(|bear| format!("bearinmind/{}", bear.name())).collect();
        let all: Vec<(&str, TaskCode)> = all.iter().map(|name| (name.as_str(), TaskCode::NotAFile)).collect();
        let bodies = unread(&all);
        let text = effective(&bodies, Language::English, DEFAULT_BUDGET).text;
        assert!(
            text.contains(
                "text of constraints\n\n\n## Bear In Mind\n[The text of `bearinmind/` is missing here: "
            ),
            "{text}"
        );
        assert_eq!(text.matches("is missing here").count(), 1, "{text}");
        assert!(text.ends_with("\n\n\n## Progress\ntext of progress\n"), "{text}");
        assert_eq!(bodies.unread().len(), 1);
        // One that can be read is given, and then each of the others has its line.
        let text = effective(&unread(&all[1..]), Language::English, DEFAULT_BUDGET).text;
        assert_eq!(
            (text.matches("is missing here").count(), text.matches("text of bearinmind/").count()),
            (5, 1),
            "{text}"
        );
    }

    #[test]
    fn what_is_cut_is_cut_between_characters() {
        for most in 0..400 {
            let body = "差遣牒对话树".repeat(50);
            let (shorter, left_out) = shorten(&body, most, Language::English);
            let notice = notice(left_out, body.len(), Language::English);
            assert_eq!(shorter.len(), body.len() - left_out + notice.len());
            assert!(shorter.len() <= most.max(notice.len() + 2), "{most}");
        }
    }
}
