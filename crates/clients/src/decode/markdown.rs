//! Markdown with front matter in YAML.

use minds_diagnostics::{Problems, SourceFile, Span};
use minds_document::Markdown;

use super::{Content, Flaw, lines};
use crate::client::{BrokenYaml, KindData};
use crate::tree::{Item, Value};

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
    let parsed = front_matter.parse(source);
    let item = parsed.value.as_ref().map(Item::of_document);
    match item {
        Some(item) if matches!(item.value, Value::Mapping(_) | Value::Null) => {
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
