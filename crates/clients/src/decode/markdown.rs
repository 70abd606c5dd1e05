//! Markdown with front matter in YAML.

use minds_diagnostics::{Problems, SourceFile, Span};
use minds_document::Markdown;

use super::{Content, Flaw, lines};
use crate::client::{BrokenYaml, KindData};
use crate::tree::{Item, Value};

/// Returns the file with a closing bracket that begins a line moved to the preceding line, with the same offsets.
///
/// YAML requires that such a line is indented more than the key. The readers of clients do not, and it is a common layout.
fn join_closing_brackets(source: &SourceFile) -> Option<SourceFile> {
    let text = source.text().ok()?;
    let mut joined = String::with_capacity(text.len());
    let mut has_changed = false;
    for line in text.split_inclusive('\n') {
        let is_closing = line.trim_start().starts_with([']', '}']);
        let may_end = |before: &str| !before.rsplit('\n').next().unwrap_or_default().contains('#');
        if is_closing && let Some(before) = joined.strip_suffix('\n').filter(|before| may_end(before)) {
            let length = before.len();
            joined.truncate(length);
            joined.push(' ');
            has_changed = true;
        }
        joined.push_str(line);
    }
    has_changed.then(|| SourceFile::new(source.name(), joined))
}

/// Returns whether front matter with these problems is read as lines: what YAML makes of it is not what the client reads.
fn is_given_up(data: &KindData, problems: &Problems) -> bool {
    match data.broken_yaml {
        BrokenYaml::Lines => !problems.is_empty(),
        BrokenYaml::Lenient => problems.has_errors(),
        BrokenYaml::Refused => false,
    }
}

pub(super) fn read(source: &SourceFile, data: &KindData, problems: &mut Problems) -> Content {
    let split = match Markdown::split(source) {
        Ok(split) => split,
        Err(open) => {
            let flaws = vec![Flaw::FrontMatter { span: open.fence, why: open.to_string() }];
            return Content { flaws, ..Content::default() };
        }
    };
    let mut content = Content { body: Some(split.body), place: Span::at(0), ..Content::default() };
    let Some(front_matter) = split.front_matter else { return content };
    content.place = lines::fence(source);
    let mut parsed = front_matter.parse(source);
    if parsed.value.is_none()
        && let Some(joined) = join_closing_brackets(source)
    {
        let again = front_matter.parse(&joined);
        if again.value.is_some() && again.problems.is_empty() {
            parsed = again;
        }
    }
    let item = parsed.value.as_ref().map(Item::of_document);
    match item {
        Some(item)
            if matches!(item.value, Value::Mapping(_) | Value::Null)
                && !is_given_up(data, &parsed.problems) =>
        {
            problems.append(parsed.problems);
            content.data = Some(item);
        }
        other => {
            let found = parsed.problems.into_sorted().into_iter().next();
            let span = found.as_ref().and_then(|found| found.primary.as_ref()).map(|label| label.span);
            let span = span.or(other.map(|item| item.span)).unwrap_or(content.place);
            let why = found.map_or_else(|| "it is not a mapping".to_owned(), |found| found.message);
            if data.broken_yaml != BrokenYaml::Lines {
                content.flaws.push(Flaw::FrontMatter { span, why });
            }
            if data.broken_yaml != BrokenYaml::Refused {
                content.data = Some(lines::entries(source, front_matter.data));
                content.is_untyped = true;
            }
        }
    }
    content
}
