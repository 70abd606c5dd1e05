//! This reader and another one agree for any text on whether it is TOML and on its values, and every place is
//! true.

use minds_diagnostics::{Parsed, SourceFile, Span};
use minds_document::{Document, Value, toml as ours};
use proptest::prelude::*;

/// What the other reader takes and this one refuses, each with the reason.
const STRICTER: &[(&str, &str)] = &[
    (
        "[[t.a]]\n[t]\na.b.c = 1\n",
        "the specification refuses dotted keys into a table that has a header; the other reader does so only for the last step",
    ),
    (
        "a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g.a.b.c.d.e.f.g = 1\n",
        "documents of every format are read 64 levels deep, there 80",
    ),
];

#[test]
fn intended_differences() {
    for (text, reason) in STRICTER {
        assert!(other(text).is_some(), "{text}: {reason}");
        assert!(has_errors(&parse(text)), "{text}: {reason}");
    }
}

fn parse(text: &str) -> Parsed<Option<Document>> {
    ours::parse(&SourceFile::new("x.toml", text))
}

fn has_errors(parsed: &Parsed<Option<Document>>) -> bool {
    parsed.problems.has_errors()
}

/// Returns what the other reader reads, as JSON.
fn other(text: &str) -> Option<serde_json::Value> {
    let table: toml::Table = toml::from_str(text).ok()?;
    Some(json(&toml::Value::Table(table)))
}

fn json(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => {
            serde_json::Number::from_f64(*number).map_or(serde_json::Value::Null, Into::into)
        }
        toml::Value::Boolean(value) => (*value).into(),
        // How a date is written is kept here and normalised there.
        toml::Value::Datetime(_) => "date".into(),
        toml::Value::Array(items) => items.iter().map(json).collect(),
        toml::Value::Table(table) => {
            serde_json::Value::Object(table.iter().map(|(key, value)| (key.clone(), json(value))).collect())
        }
    }
}

/// Returns what this reader reads, as JSON, with dates as the other function shows them.
fn own(node: minds_document::Node<'_>) -> serde_json::Value {
    match node.value() {
        Value::Date(_) => "date".into(),
        Value::Sequence => node.items().map(own).collect(),
        Value::Mapping => serde_json::Value::Object(
            node.entries().map(|entry| (entry.key.to_owned(), own(entry.value))).collect(),
        ),
        _ => node.to_json(),
    }
}

fn agree(text: &str) -> Result<(), TestCaseError> {
    let parsed = parse(text);
    match (other(text), has_errors(&parsed)) {
        (Some(value), false) => {
            let document = parsed.value.expect("what has no error has a tree");
            prop_assert!(!document.is_partial());
            prop_assert_eq!(own(document.root()), value, "{:?}", text);
        }
        (None, true) => {}
        (Some(_), true) => {
            let is_intended = dotted_into_list_of_tables(text);
            prop_assert!(is_intended, "only here: {text:?}\n{:?}", parsed.problems.into_sorted());
        }
        (None, false) => {
            prop_assert!(false, "only there: {text:?}: {:?}", toml::from_str::<toml::Table>(text).err());
        }
    }
    Ok(())
}

/// Returns whether the first intended difference may be at work.
fn dotted_into_list_of_tables(text: &str) -> bool {
    text.contains("[[")
        && text.lines().any(|line| line.split('=').next().unwrap_or_default().matches('.').count() > 1)
}

fn check_places(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let source = SourceFile::new("x.toml", bytes);
    let fits = |span: Span| match source.text() {
        Ok(text) => text.get(span.range()).is_some(),
        Err(_) => source.bytes().get(span.range()).is_some(),
    };
    let parsed = ours::parse(&source);
    prop_assert!(parsed.value.is_some() || has_errors(&parsed));
    if let Some(document) = &parsed.value {
        prop_assert!(has_errors(&parsed) || !document.is_partial());
        for node in document.iter() {
            prop_assert!(fits(node.span()), "{node:?} in {:?}", source.text());
            if let Some(parent) = node.parent() {
                prop_assert!(node.pointer().starts_with(&parent.pointer()));
            }
            let slice = source.slice(node.span());
            if let (true, Some(said)) = (node.is_plain(), node.scalar_text()) {
                prop_assert_eq!(slice, said);
            }
            if let Value::String(said) = node.value() {
                let inner = slice.trim_matches(['"', '\'']);
                prop_assert!(
                    slice.contains('\\') || slice.contains(said) || inner == said,
                    "{slice:?} {said:?}"
                );
            }
        }
    }
    for found in parsed.problems.into_sorted() {
        prop_assert!(!found.message.is_empty() && !found.message.ends_with('.'));
        for label in found.primary.iter().chain(&found.secondary) {
            prop_assert!(fits(label.span), "{found:?}");
        }
    }
    Ok(())
}

/// Keys, of which few are enough for tables to meet.
fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "a.b",
        "b.a",
        "a.c",
        "b.a.c",
        "\"a\"",
        "'b'.c",
        "\"\\u0061\"",
        "1",
        "\"é\"",
    ])
    .prop_map(str::to_owned)
}

/// Valid and invalid scalars.
fn scalar(is_right: bool) -> impl Strategy<Value = String> {
    let right = vec![
        "1",
        "-1",
        "+7",
        "1_000",
        "0xff",
        "0o17",
        "0b101",
        "1.5",
        "-0.0",
        "5e3",
        "inf",
        "-inf",
        "nan",
        "+nan",
        "true",
        "false",
        "9223372036854775807",
        "\"\"",
        "\"a\\tb\"",
        "\"\\u00e9\"",
        "\"\\xe9\\e\"",
        "'c:\\d'",
        "\"\"\"\nx\\\n  y\"\"\"",
        "'''\nx'y'''",
        "2026-11-20",
        "2026-11-20T10:30:00Z",
        "10:30",
        "2026-11-20 10:30:00.5+01:00",
    ];
    let wrong = vec![
        "1__0",
        "0xfg",
        "007",
        "1.",
        ".5",
        "1e400",
        "True",
        "9223372036854775808",
        "\"\\q\"",
        "\"open",
        "'open",
        "10:30:61",
        "2026-02-30",
        "word",
        "é",
        "",
    ];
    prop::sample::select(if is_right { right } else { [right, wrong].concat() }).prop_map(str::to_owned)
}

fn value(is_right: bool) -> impl Strategy<Value = String> {
    scalar(is_right).prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..4), any::<bool>()).prop_map(|(items, trailing)| {
                let end = if trailing && !items.is_empty() { "\n, # c\n" } else { "" };
                format!("[{}{end}]", items.join(", "))
            }),
            prop::collection::vec((key(), inner), 0..3).prop_map(|entries| {
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    })
}

fn line(is_right: bool) -> impl Strategy<Value = String> {
    prop_oneof![
        2 => (key(), scalar(is_right)).prop_map(|(key, value)| format!("{key} = {value}")),
        1 => (key(), value(is_right)).prop_map(|(key, value)| format!("{key} = {value}")),
        3 => key().prop_map(|key| format!("[{key}]")),
        2 => key().prop_map(|key| format!("[[{key}]]")),
        1 => Just("  # comment é".to_owned()),
    ]
}

fn document(is_right: bool) -> impl Strategy<Value = String> {
    (prop::collection::vec(line(is_right), 0..6), any::<bool>())
        .prop_map(|(lines, crlf)| lines.join(if crlf { "\r\n" } else { "\n" }))
}

/// Strings that are nearly TOML: the pieces that make its grammar, in any order.
fn nearly_toml() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        ".",
        "=",
        " = ",
        "\n",
        "\r\n",
        "\r",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        ",",
        ", ",
        "\"",
        "'",
        "\"\"\"",
        "'''",
        "#",
        " ",
        "\t",
        "é",
        "\u{feff}",
        "1",
        "0",
        "_",
        "-",
        "+",
        "e",
        "x",
        ":",
        "T",
        "true",
        "inf",
        "nan",
        "2026-11-20",
        "10:30",
        "\\",
        "\\n",
        "\0",
        "\u{7f}",
        "\u{85}",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn documents_are_read_like_elsewhere(text in document(true)) {
        agree(&text)?;
        check_places(text.into_bytes())?;
    }

    #[test]
    fn mutated_documents_are_read_like_elsewhere(
        text in any::<bool>().prop_flat_map(document),
        at in any::<prop::sample::Index>(),
        removed in 0..4_usize,
        added in nearly_toml(),
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        let at = at.index(characters.len() + 1);
        let end = (at + removed).min(characters.len());
        characters.splice(at..end, added.chars().take(3));
        let text: String = characters.into_iter().collect();
        agree(&text)?;
        check_places(text.into_bytes())?;
    }

    #[test]
    fn nearly_valid_toml_is_read_as_by_another_reader(text in nearly_toml()) {
        agree(&text)?;
        check_places(text.into_bytes())?;
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_places(bytes)?;
    }
}
