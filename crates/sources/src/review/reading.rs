//! Differences between installing programs, which read front matter line by line, and agents, which parse it
//! as YAML.

use minds_document::Value;

use super::head::{NoHead, YamlHead};
use super::{Review, Subject, rules, span};
use crate::rules::shown;
use crate::{ItemHead, ItemKind};

pub(super) fn check(review: &mut Review<'_>, subject: &Subject<'_>, head: &YamlHead) {
    let Ok(text) = head.source.text() else { return };
    let read = ItemHead::read(text);
    if let Err(problem) = &head.result {
        // Skills have their own rules.
        if read == ItemHead::default() || subject.item().kind == ItemKind::Skill {
            return;
        }
        let (place, why) = match problem {
            NoHead::Absent => (span(0, 0), "it does not begin with `---` alone on a line".to_owned()),
            NoHead::Open(fence) => (*fence, "it is not closed by another `---`".to_owned()),
            NoHead::Broken(found) => {
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
    for (key, ours) in [
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
        let theirs = node.and_then(|node| match node.value() {
            Value::Null | Value::Sequence | Value::Mapping | Value::Unknown => None,
            _ => node.scalar_text().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        });
        let plain = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let ours = ours.as_ref().map(plain).filter(|text| !text.is_empty());
        let theirs = theirs.filter(|text| !text.is_empty());
        if ours == theirs && nested.is_none() {
            continue;
        }
        let place = node.map_or(span(0, 0), minds_document::Node::span);
        let (ours, mut theirs) = texts(ours.as_deref(), theirs.as_deref());
        if nested.is_some() {
            "a list or a mapping".clone_into(&mut theirs);
        }
        let message = || format!("`{key}` is {ours} when read line by line, but {theirs} as YAML");
        review.report(&rules::DIFFERENT_READING, &head.source, place, message, |found| {
            found.help("write it on one line, without comments and escapes")
        });
    }
}

/// The number of characters in front of the first difference that are quoted.
const BEFORE_DIFFERENCE: usize = 20;

/// Returns two quoted values; of long values with a common prefix, the part around the first difference.
fn texts(ours: Option<&str>, theirs: Option<&str>) -> (String, String) {
    let quoted = |text: Option<&str>| text.map_or("nothing".to_owned(), |text| format!("`{}`", shown(text)));
    let (first, second) = (quoted(ours), quoted(theirs));
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return (first, second) };
    if first != second {
        return (first, second);
    }
    let same = ours.chars().zip(theirs.chars()).take_while(|(a, b)| a == b).count();
    let skipped = same.saturating_sub(BEFORE_DIFFERENCE);
    let rest = |text: &str| format!("`…{}`", shown(&text.chars().skip(skipped).collect::<String>()));
    (rest(ours), rest(theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_are_never_displayed_alike() {
        let long = "word ".repeat(30);
        let cases = [
            ("a", "b"),
            (&*format!("{long}a"), &*format!("{long}b")),
            (&long, long.trim_end()),
            (&*format!("{long}a{long}"), &*format!("{long}b{long}")),
        ];
        for (ours, theirs) in cases {
            let (first, second) = texts(Some(ours), Some(theirs));
            assert_ne!(first, second);
            assert!(first.chars().count() < 100, "{first}");
        }
        assert_eq!(texts(None, Some("a")), ("nothing".to_owned(), "`a`".to_owned()));
        let (first, second) = texts(Some(&format!("{long}\\u0041")), Some(&format!("{long}A")));
        assert_eq!(
            (first.as_str(), second.as_str()),
            ("`…word word word word \\\\u0041`", "`…word word word word A`")
        );
    }
}
