//! The text that agents are given of a task.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::Language;
use crate::section::{BEAR_IN_MIND_BLOCK, Section, TopLevel};

/// How many bytes the text has at most unless something else is asked for.
pub const DEFAULT_BUDGET: usize = 100 * 1024;

/// What the sections that are always in the context hold.
#[derive(Clone, Debug, Default)]
pub struct Bodies(BTreeMap<Section, String>);

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
        self.0.insert(section, body);
    }

    /// Returns what a section holds; none if it is not there.
    pub fn get(&self, section: &Section) -> Option<&str> {
        self.0.get(section).map(String::as_str)
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
/// where it is left out.
pub fn effective(bodies: &Bodies, language: Language, budget: usize) -> Effective {
    let mut parts = Parts::new(bodies);
    let mut cut = Vec::new();
    let mut over = parts.size(language).saturating_sub(budget);
    // The progress first; the frame is counted with it.
    for index in (0..parts.0.len()).rev() {
        if over == 0 {
            break;
        }
        let Some((section, body)) = parts.0.get_mut(index) else { break };
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

/// The sections with their bodies, in the order in which they stand in the text.
struct Parts<'b>(Vec<(Section, Cow<'b, str>)>);

impl<'b> Parts<'b> {
    fn new(bodies: &'b Bodies) -> Self {
        let body = |section: Section| {
            let body = bodies.get(&section).unwrap_or_default();
            let is_shown = !matches!(section, Section::BearInMind(_)) || !body.trim().is_empty();
            is_shown.then_some((section, Cow::Borrowed(body)))
        };
        Self(Section::injected().filter_map(body).collect())
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
        for (section, body) in &self.0 {
            match section {
                Section::BearInMind(_) if is_in_block => {}
                Section::BearInMind(_) => {
                    push("\n");
                    push(BEAR_IN_MIND_BLOCK);
                    push("\n");
                }
                Section::Top(_) | Section::Extra { .. } => push("\n"),
            }
            push(&section.heading());
            push("\n");
            is_in_block = matches!(section, Section::BearInMind(_));
            push(body);
            if *section != Section::PROGRESS {
                push("\n");
            }
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
