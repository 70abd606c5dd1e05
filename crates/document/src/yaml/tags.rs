//! Supported tags, and their effect on a value.

use minds_diagnostics::{Diagnostic, SourceFile, Span};
use saphyr_parser::Tag;

use super::locator::Locator;
use crate::rules;
use crate::scalar::{Scalar, resolve_plain};

/// The effect of a tag on a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagEffect {
    /// The scalar has the type that its text determines.
    Plain,
    /// A string.
    Quoted,
    /// The value cannot be used.
    Refused,
}

/// Returns the effect of a tag on a scalar: the tags of the core schema must match the type of the text; `!!str` and
/// `!` turn it into a string.
pub(super) fn of_scalar(tag: &Tag, text: &str, plain: bool) -> TagEffect {
    if is_non_specific(tag) || core(tag) == Some("str") {
        return TagEffect::Quoted;
    }
    let fits = plain
        && matches!(
            (core(tag).unwrap_or_default(), resolve_plain(text)),
            ("null", Scalar::Null)
                | ("bool", Scalar::Bool(_))
                | ("int", Scalar::Integer(_))
                | ("float", Scalar::Float(_) | Scalar::Integer(_))
        );
    if fits { TagEffect::Plain } else { TagEffect::Refused }
}

/// Returns whether a tag matches the kind of a collection.
pub(super) fn fits_collection(tag: &Tag, mapping: bool) -> bool {
    is_non_specific(tag) || core(tag) == Some(if mapping { "map" } else { "seq" })
}

/// Returns the finding for a tag that cannot be used; `event` begins with the anchor and the tag of the value.
pub(super) fn report_unsupported(source: &SourceFile, tag: &Tag, event: Span) -> Diagnostic {
    let written = find_tag(Locator(source.bytes()), event.start());
    let name = source.slice(written);
    let found = Diagnostic::new(&rules::TAG, format!("the tag `{name}` cannot be used here"))
        .primary(source.label(written).message("this tag"));
    if written.covers(event) && !name.contains('"') {
        // There is nothing but the tag: probably a word that begins with an exclamation mark.
        let quoted = format!("\"{name}\"");
        return found.help(format!("quote it: `{quoted}`")).fix("quote the text", source, written, quoted);
    }
    if core(tag).is_some() {
        found.help("remove the tag, or write a value that fits it")
    } else {
        found.help("remove the tag")
    }
}

/// Returns the name of a tag of the core schema, which may be written `!!str` or out in full.
fn core(tag: &Tag) -> Option<&str> {
    if tag.is_yaml_core_schema() { Some(&tag.suffix) } else { tag.suffix.strip_prefix("tag:yaml.org,2002:") }
}

/// Returns whether a tag is `!` alone, which the parser stores either as handle or as suffix.
fn is_non_specific(tag: &Tag) -> bool {
    matches!((tag.handle.as_str(), tag.suffix.as_str()), ("!", "") | ("", "!"))
}

/// Returns the span of the tag, starting at `at`; only an anchor can precede it.
fn find_tag(places: Locator<'_>, at: u32) -> Span {
    let mut start = places.skip_blank(at);
    if places.byte(start) == Some(b'&') {
        start = places.skip_blank(places.find_word_end(start));
    }
    Span::new(start, places.find_word_end(start))
}
