//! JSON is taken where the readers of a dialect take it, and refused where they do not.

use minds_render::jsonc::{Dialect, JsonText};
use proptest::prelude::*;

/// Returns a string with blanks in the place of comments, as a reader makes it that leaves white space alone.
fn blanked(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(behind) = rest.strip_prefix("/*") {
            behind.find("*/").map_or(rest.len(), |end| end + 4)
        } else if first == '"' {
            let mut is_escaped = false;
            let end = rest[1..].find(|letter| {
                let ends = letter == '"' && !is_escaped;
                is_escaped = !is_escaped && letter == '\\';
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else {
            first.len_utf8()
        };
        let (part, behind) = rest.split_at(length);
        // A comment without an end stays, so the text is not JSON: it is refused, although some readers take it.
        let is_comment =
            part.starts_with("//") || (part.len() > 3 && part.starts_with("/*") && part.ends_with("*/"));
        let is_space = |letter: char| (letter.is_whitespace() && letter != '\u{85}') || letter == '\u{feff}';
        out.extend(part.chars().map(|letter| if is_comment && !is_space(letter) { ' ' } else { letter }));
        rest = behind;
    }
    out
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// Strings that are often JSON, or nearly.
fn any_text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        " ",
        "\n",
        "\r\n",
        "\t",
        "\r",
        "\u{a0}",
        "\u{c}",
        "\u{b}",
        "\u{85}",
        "\u{2028}",
        "\u{3000}",
        "\u{feff}",
        "// a\n",
        "/* a */",
        "/*\u{a0}*/",
        "//\u{c}\n",
        "//\u{85}\n",
        "/**/",
    ]);
    let blank =
        prop_oneof![8 => Just(String::new()), 2 => Just(" ".to_owned()), 1 => part.prop_map(str::to_owned)];
    let letter = prop::sample::select(vec![
        "a",
        "ä",
        "\\n",
        "\\\"",
        "\\u00e4",
        "\\u+0e4",
        "\\u00",
        "\\ud800",
        "\\ud83e\\udd16",
        "\\x",
        "\\",
        "\n",
        "\r",
        "\t",
        "\u{0}",
        "\u{1f}",
        "\u{7f}",
        "\u{2028}",
        "//",
        "/*",
        "*/",
        "\u{a0}",
    ]);
    let quoted = prop::collection::vec(letter, 0..3).prop_map(|letters| format!("\"{}\"", letters.concat()));
    let word = prop::sample::select(vec![
        "1", "-1", "0", "-0", "01", "1.", ".5", "1.5e+3", "1e", "+1", "-", "0x1", "true", "nul", "null",
        "NaN", "'a'", "tru e",
    ]);
    let leaf = prop_oneof![2 => quoted.clone(), 2 => word.prop_map(str::to_owned), 1 => Just("1".to_owned())];
    let key = prop_oneof![4 => Just("\"a\"".to_owned()), 1 => quoted, 1 => Just("a".to_owned())];
    let value = leaf.prop_recursive(3, 12, 3, move |inner| {
        let items = prop::collection::vec((blank.clone(), inner, blank.clone()), 0..3);
        let comma = prop_oneof![9 => Just(""), 1 => Just(",")];
        (items, any::<bool>(), key.clone(), comma).prop_map(|(items, is_list, key, comma)| {
            let item = |(before, value, after): &(String, String, String)| {
                let key = if is_list { String::new() } else { format!("{key}:") };
                format!("{before}{key}{after}{value}{before}")
            };
            let inside = items.iter().map(item).collect::<Vec<_>>().join(",");
            if is_list { format!("[{inside}{comma}]") } else { format!("{{{inside}{comma}}}") }
        })
    });
    let blanks = prop::sample::select(vec!["", "", "", " ", "\n", "\u{c}", "\u{a0}", "// x", "\u{feff}"]);
    (blanks.clone(), value, blanks).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Plain JSON is what another reader takes for it; one byte order mark may precede it.
    #[test]
    fn plain_json_is_json(text in any_text()) {
        let is_taken = JsonText::parse(&text, Dialect::Json).is_ok();
        prop_assert_eq!(is_taken, is_json(text.strip_prefix('\u{feff}').unwrap_or(&text)), "{:?}", text);
    }

    /// With comments it is what is JSON without them, as their reader takes them out.
    #[test]
    fn json_with_comments_is_json_without_them(text in any_text()) {
        let is_taken = JsonText::parse(&text, Dialect::Comments).is_ok();
        let blanked = blanked(&text);
        // An empty object can be extended.
        prop_assume!(!blanked.trim().is_empty());
        prop_assert_eq!(is_taken, is_json(&blanked), "{:?}", text);
    }

    /// What a stricter dialect takes, a laxer one takes too, apart from the mark.
    #[test]
    fn dialects_are_in_order(text in any_text()) {
        let order =
            [Dialect::Json, Dialect::Comments, Dialect::StrictCommentsAndCommas, Dialect::CommentsAndCommas];
        let text = text.trim_start_matches('\u{feff}');
        let taken = order.map(|dialect| JsonText::parse(text, dialect).is_ok());
        prop_assert!(taken.is_sorted(), "{:?}: {:?}", text, taken);
    }
}

#[test]
fn lenient_readers_take_more() {
    for text in ["{\u{a0}}", "{\u{c}}", "{\"a\": \"\t\"}", "{\"a\": \"\u{1}\"}"] {
        assert!(JsonText::parse(text, Dialect::CommentsAndCommas).is_ok(), "{text:?}");
        assert!(JsonText::parse(text, Dialect::StrictCommentsAndCommas).is_err(), "{text:?}");
    }
    for text in ["{\"a\": \"\n\"}", "{\"a\": \"\r\"}"] {
        assert!(JsonText::parse(text, Dialect::CommentsAndCommas).is_err(), "{text:?}");
    }
}
