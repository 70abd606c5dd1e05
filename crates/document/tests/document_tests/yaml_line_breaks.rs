//! What ends a line for some YAML parsers only is read by none of them here.

use minds_diagnostics::SourceFile;
use minds_document::{Markdown, yaml};
use proptest::prelude::*;

/// Returns `line:column label` of each finding about line breaks; nothing else may be found.
fn found(text: &str) -> Vec<String> {
    let source = SourceFile::new("x.yaml", text);
    let parsed = yaml::parse(&source);
    let found = parsed.problems.into_sorted();
    assert_eq!(parsed.value.is_none(), !found.is_empty(), "{text:?}: {found:?}");
    let show = |found: &minds_diagnostics::Diagnostic| {
        assert_eq!(found.rule.code, "yaml/line-break", "{text:?}");
        assert!(!found.rule.is_suppressible);
        let label = found.primary.as_ref().unwrap();
        let place = source.lines().position(source.bytes(), label.span.start());
        format!("{}:{} {}", place.line, place.column, label.message)
    };
    found.iter().map(show).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(found(text), expected, "{text:?}");
}

#[test]
fn line_feeds_with_and_without_carriage_returns_are_fine() {
    check("a: 1\r\nb: 2\nc: |\r\n  x\r\n\r\nd: \"x\r\n  y\"\r\n", &[]);
    check("a: \"\\r \\N \\L \\P\"\n", &[]);
}

#[test]
fn a_lone_carriage_return_is_an_error_everywhere() {
    check("a: 1 # note\r    b: [x]\n", &["1:12 here"]);
    check("a: 1\rb: 2\r", &["1:5 here, and 1 more in this file"]);
    check("a: 'x\r  y'\n", &["1:6 here"]);
    check("a: |\n  x\r\r\n  y\n", &["2:4 here"]);
    check("\u{feff}a: x\r", &["1:5 here"]);
    check("\r", &["1:1 here"]);
    // The carriage return is first in the text, but not in the problems of its reader.
    check("a: [1\rb\n", &["1:6 here"]);
}

#[test]
fn line_separators_of_unicode_are_errors_outside_of_quoted_text() {
    for c in ["\u{85}", "\u{2028}", "\u{2029}"] {
        check(&format!("a: 1 # é{c}    b: [x]\n"), &["1:9 here"]);
        check(&format!("a: x{c}b: y\n").replace(": y", ""), &["1:5 here"]);
        check(&format!("a: |\n  x{c}b: [x]\n"), &["2:4 here"]);
        check(&format!("a: >-\n  x{c}{c}\n"), &["2:4 here, and 1 more in this file"]);
        check(&format!("k{c}k: 1\n"), &["1:2 here"]);
        check(&format!("a: \"x{c}b\" # y{c}\n"), &["1:13 here"]);
        check(&format!("a: 1\n# {c}"), &["2:3 here"]);
        check(&format!("a: \"x{c}b\"\nc: 'x{c}b'\n\"k{c}\": [\"{c}\", '{c}']\n"), &[]);
    }
}

#[test]
fn the_front_matter_of_a_markdown_file_is_read_in_the_same_way() {
    for (text, expected) in [
        ("---\nname: x # y\rz: 1\n---\nbody\r", Some("\r")),
        ("---\rname: x\r---\rbody\r", Some("\r")),
        ("---\nname: x # y\u{2028}z: 1\n---\nbody", Some("\u{2028}")),
        ("---\r\nname: x\r\n---\r\nbody\rbody\u{2028}", None),
    ] {
        let source = SourceFile::new("SKILL.md", text);
        let front_matter = Markdown::split(&source).unwrap().front_matter.expect("the file has front matter");
        let parsed = front_matter.parse(&source);
        let found = parsed.problems.into_sorted();
        let places: Vec<&str> =
            found.iter().map(|found| source.slice(found.primary.as_ref().unwrap().span)).collect();
        assert_eq!(places, expected.into_iter().collect::<Vec<_>>(), "{text:?}");
        assert!(found.iter().all(|found| found.rule.code == "yaml/line-break"));
    }
}

const PARTS: &[&str] = &[
    "a", "b", "k: ", "l: ", "\n", "\n  ", "\r\n", "\r", "\r  ", "\u{85}", "\u{85}  ", "\u{2028}", "\u{2029}",
    " # c ", "'", "\"", "[", "]", ", ", "|\n  ", ">\n  ", "- ", "\n- ", "é",
];

/// Returns the place and kind of every node of a string, and its text unless it is quoted; none if it is not valid.
fn shape(text: &str) -> Option<Vec<(String, Option<String>)>> {
    let document = yaml::parse(&SourceFile::new("x.yaml", text)).value?;
    let source = document.source().clone();
    let nodes = document.iter().filter(|node| !node.span().is_empty() || node.is_plain());
    let show = |node: minds_document::Node<'_>| {
        let is_quoted = source.slice(node.span()).starts_with(['"', '\'']);
        let text = node.scalar_text().filter(|_| !is_quoted).map(str::to_owned);
        (node.pointer(), text)
    };
    Some(nodes.map(show).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// A valid document has the same values for a reader that ends a line at each such character, or is invalid for it.
    #[test]
    fn other_lines_never_make_another_tree(parts in prop::collection::vec(prop::sample::select(PARTS), 0..14)) {
        let text = parts.concat();
        let other = text
            .replace("\r\n", "\n")
            .replace(['\r', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
        if let (Some(ours), Some(theirs)) = (shape(&text), shape(&other)) {
            let keys = |shape: &[(String, Option<String>)]| shape.iter().map(|node| node.1.clone()).collect::<Vec<_>>();
            prop_assert_eq!(keys(&ours), keys(&theirs), "{:?}", text);
        }
    }
}
