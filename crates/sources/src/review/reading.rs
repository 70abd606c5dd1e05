//! Where installing programs, which read heads line by line, and agents, which read YAML, read something else.

use minds_document::Value;

use super::head::{NoHead, YamlHead};
use super::{Review, Subject, rules, span};
use crate::rules::shown;
use crate::{ItemHead, ItemKind};

pub(super) fn check(review: &mut Review<'_>, subject: &Subject<'_>, head: &YamlHead) {
    let Ok(text) = head.source.text() else { return };
    let read = ItemHead::read(text);
    if let Err(problem) = &head.result {
        // Of a skill its own rules say so.
        if read == ItemHead::default() || subject.item().kind == ItemKind::Skill {
            return;
        }
        let (place, why) = match problem {
            NoHead::Absent => (span(0, 0), "it does not begin with `---` alone on a line".to_owned()),
            NoHead::Open(fence) => (*fence, "it is not closed by another `---`".to_owned()),
            NoHead::Broken(found) => {
                let label = found.as_ref().and_then(|found| found.primary.as_ref());
                let why = found.as_ref().map_or("it is no mapping", |found| found.message.as_str());
                (label.map_or(span(0, 0), |label| label.span), why.to_owned())
            }
        };
        let message = || format!("the head is read here, but not by readers of YAML: {why}");
        review.report(&rules::DIFFERENT_READING, &head.source, place, message, |found| found);
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
        let quoted =
            |text: Option<String>| text.map_or("nothing".to_owned(), |text| format!("`{}`", shown(&text)));
        let theirs = if nested.is_some() { "a list or a mapping".to_owned() } else { quoted(theirs) };
        let message = || format!("`{key}` is {} here, and {theirs} for readers of YAML", quoted(ours));
        review.report(&rules::DIFFERENT_READING, &head.source, place, message, |found| {
            found.help("write it on one line, without a comment and without escapes")
        });
    }
}
