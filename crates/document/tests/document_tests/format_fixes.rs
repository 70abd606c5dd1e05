//! Fixes that decoding offers are right in the format of the text.

use minds_diagnostics::{Diagnostic, SourceFile};
use minds_document::{Context, Decode, FiniteNumber, Format, List, Text};

/// Decodes the value of `a`, and returns the findings.
fn decode<T: Decode>(format: Format, text: &str) -> Vec<Diagnostic> {
    let parsed = format.parse(&SourceFile::new("x", text));
    assert!(!parsed.problems.has_errors(), "{text:?}");
    let document = parsed.value.unwrap();
    let mut cx = Context::new();
    let _ = T::decode(document.root().get("a").unwrap(), &mut cx);
    cx.into_problems().into_sorted()
}

/// Expects the one finding of a value of `a` to offer `fixed` instead, which is right; or nothing.
#[track_caller]
fn check<T: Decode>(format: Format, value: &str, fixed: Option<&str>) {
    let sign = if format == Format::Toml { "a = " } else { "a: " };
    let text = format!("{sign}{value}");
    let found = decode::<T>(format, &text);
    assert_eq!(found.len(), 1, "{text:?}: {found:?}");
    let edited = found[0].fix.as_ref().map(|fix| {
        let [edit] = fix.edits.as_slice() else { panic!("{fix:?}") };
        let mut edited = text.clone();
        edited.replace_range(edit.span.range(), &edit.new_text);
        edited
    });
    assert_eq!(edited, fixed.map(|fixed| format!("{sign}{fixed}")), "{text:?}");
    if let Some(edited) = edited {
        assert!(decode::<T>(format, &edited).is_empty(), "{edited:?}");
    }
}

#[test]
fn any_text() {
    for value in ["5", "1_000", "0xff", "true", "inf", "2026-11-20 10:30:00"] {
        check::<Text>(Format::Toml, value, Some(&format!("\"{value}\"")));
    }
    check::<Text>(Format::Yaml, "5", Some("\"5\""));
    check::<Text>(Format::Toml, "[5]", None);
}

#[test]
fn booleans() {
    check::<bool>(Format::Toml, "\"yes\"", Some("true"));
    check::<bool>(Format::Toml, "'''off'''", Some("false"));
    check::<bool>(Format::Toml, "\"\"\"\nyes\"\"\"", None);
    check::<bool>(Format::Toml, "\"!maybe\"", None);
    check::<bool>(Format::Toml, "1", None);
    check::<bool>(Format::Yaml, "!!str yes", None);
}

#[test]
fn numbers() {
    for value in ["5", "1.5", "-1", "1_000", "5e3"] {
        check::<FiniteNumber>(Format::Toml, &format!("\"{value}\""), Some(value));
    }
    for value in ["007", "1.", ".5", "1e400", "word", "0x"] {
        check::<FiniteNumber>(Format::Toml, &format!("'{value}'"), None);
    }
    check::<FiniteNumber>(Format::Yaml, "'007'", Some("007"));
    check::<FiniteNumber>(Format::Toml, "2026-11-20", None);
}

#[test]
fn lists() {
    check::<List<Text>>(Format::Toml, "\"b\"", Some("[\"b\"]"));
    check::<List<Text>>(Format::Toml, "'b'", Some("['b']"));
    for value in ["'b, c'", "'b c'", "'- b'", "''", "5"] {
        check::<List<Text>>(Format::Toml, value, None);
    }
    let help = |format, text: &str| decode::<List<Text>>(format, text).remove(0).help;
    assert_eq!(
        help(Format::Toml, "a = 'b, c'").as_deref(),
        Some("if several are meant, write `[\"b\", \"c\"]`")
    );
    assert_eq!(help(Format::Yaml, "a: 'b, c'").as_deref(), Some("if several are meant, write `[b, c]`"));
    let items = "a = [\n'-b'\n]";
    assert!(decode::<List<Text>>(Format::Toml, items).is_empty());
}
