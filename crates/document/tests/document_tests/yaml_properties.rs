//! Whatever the bytes are, there is an answer, and its places are true.

use minds_diagnostics::{SourceFile, Span};
use minds_document::{Document, Node, Value, yaml};
use proptest::prelude::*;

fn check(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let source = SourceFile::new("x.yaml", bytes);
    let parsed = yaml::parse(&source);
    prop_assert!(parsed.value.is_some() || parsed.problems.has_errors());
    for found in parsed.problems.into_sorted() {
        prop_assert!(!found.message.is_empty());
        for label in found.primary.iter().chain(&found.secondary) {
            prop_assert!(fits(&source, label.span), "{found:?}");
        }
    }
    if let Some(document) = parsed.value {
        for node in document.iter() {
            prop_assert!(fits(&source, node.span()), "{node:?} in {:?}", source.text());
            check_node(&document, node)?;
        }
    }
    Ok(())
}

fn fits(source: &SourceFile, span: Span) -> bool {
    match source.text() {
        Ok(text) => text.get(span.range()).is_some(),
        Err(_) => source.bytes().get(span.range()).is_some(),
    }
}

fn check_node(document: &Document, node: Node<'_>) -> Result<(), TestCaseError> {
    let text = document.source().text().unwrap();
    if let Some(parent) = node.parent() {
        prop_assert!(
            parent.span().covers(node.span()),
            "{:?} outside of {:?}\n{text:?}",
            node.span(),
            parent.span()
        );
        prop_assert!(document.node(node.id()).pointer().starts_with(&parent.pointer()));
    }
    let slice = document.source().slice(node.span());
    if let (true, Some(said)) = (node.is_plain(), node.scalar_text()) {
        // A plain text on one line has its source as its value.
        if !slice.contains(['\n', '\r', '&', '!']) {
            prop_assert_eq!(slice, said, "{:?}", text);
        }
    }
    match node.value() {
        Value::Sequence => prop_assert!(
            slice.starts_with(['[', '-', '{', '?']) || !slice.is_empty(),
            "{slice:?} in {text:?}"
        ),
        Value::Float(value) => prop_assert!(value.is_nan() || value.to_string().parse::<f64>() == Ok(value)),
        _ => {}
    }
    Ok(())
}

/// Strings that are nearly YAML: the pieces that make its grammar, in any order.
fn nearly_yaml() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b: ",
        "- ",
        "? ",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "\r\n",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "'",
        "\"",
        "#",
        " # c",
        "&x ",
        "*x",
        "*y",
        "!!str ",
        "!t ",
        "|\n",
        ">-\n",
        "---\n",
        "...\n",
        "\t",
        "é",
        "日本",
        "\u{feff}",
        "1",
        "1.5",
        "~",
        "true",
        "<<: ",
        "%YAML 1.2\n",
        "\\n",
        "x-a: ",
        "\u{85}",
        "\u{2028}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn any_text_near_yaml_gets_an_answer(text in nearly_yaml()) {
        check(text.into_bytes())?;
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(bytes)?;
    }
}
