//! Differences between installing programs, which read front matter line by line, and agents, which parse it
//! as YAML.

use minds_document::Value;

use super::yaml_front_matter::{FrontMatterProblem, YamlFrontMatter};
use super::{Review, ReviewedItem, rules, span};
use crate::rules::escape;
use crate::{ItemFrontMatter, ItemKind};

pub(super) fn check(review: &mut Review<'_>, subject: &ReviewedItem<'_>, head: &YamlFrontMatter) {
    let Ok(text) = head.source.text() else { return };
    let read = ItemFrontMatter::read(text);
    if let Err(problem) = &head.result {
        // Skills have their own rules.
        if read == ItemFrontMatter::default() || subject.item().kind == ItemKind::Skill {
            return;
        }
        let (place, why) = match problem {
            FrontMatterProblem::Absent => {
                (span(0, 0), "it does not begin with `---` alone on a line".to_owned())
            }
            FrontMatterProblem::Open(fence) => (*fence, "it is not closed by another `---`".to_owned()),
            FrontMatterProblem::Broken(found) => {
                let label = found.as_ref().and_then(|found| found.primary.as_ref());
                let why = found.as_ref().map_or("it is not a mapping", |found| found.message.as_str());
                (label.map_or(span(0, 0), |label| label.span), why.to_owned())
            }
        };
        let message =
            || format!("the front matter is not valid YAML, although it is read line by line: {why}");
        review.report(&rules::DIFFERENT_READING, &head.source, place, message, |found| {
            found.help("write valid YAML between two lines `---` at the beginning of the file")
        });
        return;
    }
    let is_tool = subject.item().kind == ItemKind::Tool;
    let requires = (!read.requires.is_empty()).then(|| read.requires.join(" "));
    for (key, line_value) in [
        ("name", &read.name),
        ("description", &read.description),
        ("requires", &requires),
        ("bin", &read.bin),
        ("build", &read.build),
        ("install", &read.install),
        ("uninstall", &read.uninstall),
    ] {
        if !is_tool && !matches!(key, "name" | "description" | "requires") {
            continue;
        }
        let node = head.get(key);
        let is_nested =
            |node: &minds_document::Node<'_>| matches!(node.value(), Value::Sequence | Value::Mapping);
        let nested = node.filter(is_nested);
        let yaml_value = node.and_then(|node| match node.value() {
            Value::Null | Value::Sequence | Value::Mapping | Value::Unknown => None,
            _ => node.scalar_text().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        });
        let plain = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line_value = line_value.as_ref().map(plain).filter(|text| !text.is_empty());
        let yaml_value = yaml_value.filter(|text| !text.is_empty());
        if line_value == yaml_value && nested.is_none() {
            continue;
        }
        let place = node.map_or(span(0, 0), minds_document::Node::span);
        let (line_value, mut yaml_value) = quote_values(line_value.as_deref(), yaml_value.as_deref());
        if nested.is_some() {
            "a list or a mapping".clone_into(&mut yaml_value);
        }
        let message = || format!("`{key}` is {line_value} when read line by line, but {yaml_value} as YAML");
        review.report(&rules::DIFFERENT_READING, &head.source, place, message, |found| {
            found.help("write it on one line, without comments and escapes")
        });
    }
}

/// The number of characters in front of the first difference that are quoted.
const BEFORE_DIFFERENCE: usize = 20;

/// Returns two quoted values; of long values with a common prefix, the part around the first difference.
fn quote_values(line_value: Option<&str>, yaml_value: Option<&str>) -> (String, String) {
    let quote = |text: Option<&str>| text.map_or("nothing".to_owned(), |text| format!("`{}`", escape(text)));
    let (first, second) = (quote(line_value), quote(yaml_value));
    let (Some(line_value), Some(yaml_value)) = (line_value, yaml_value) else { return (first, second) };
    if first != second {
        return (first, second);
    }
    let same = line_value.chars().zip(yaml_value.chars()).take_while(|(a, b)| a == b).count();
    let skipped = same.saturating_sub(BEFORE_DIFFERENCE);
    let rest = |text: &str| format!("`…{}`", escape(&text.chars().skip(skipped).collect::<String>()));
    (rest(line_value), rest(yaml_value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_are_displayed_differently() {
        let long = "word ".repeat(30);
        let cases = [
            ("a", "b"),
            (&*format!("{long}a"), &*format!("{long}b")),
            (&long, long.trim_end()),
            (&*format!("{long}a{long}"), &*format!("{long}b{long}")),
        ];
        for (line_value, yaml_value) in cases {
            let (first, second) = quote_values(Some(line_value), Some(yaml_value));
            assert_ne!(first, second);
            assert!(first.chars().count() < 100, "{first}");
        }
        assert_eq!(quote_values(None, Some("a")), ("nothing".to_owned(), "`a`".to_owned()));
        let (first, second) = quote_values(Some(&format!("{long}\\u0041")), Some(&format!("{long}A")));
        assert_eq!(
            (first.as_str(), second.as_str()),
            ("`…word word word word \\\\u0041`", "`…word word word word A`")
        );
    }
}
