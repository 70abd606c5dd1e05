//! Every node of TOML, and every error, has the span that a reader expects.

use minds_diagnostics::SourceFile;
use minds_document::{Document, Node, Value, toml};

fn parse(text: &str) -> (Option<Document>, Vec<String>) {
    let source = SourceFile::new("x.toml", text);
    let parsed = toml::parse(&source);
    let found = parsed.problems.into_sorted().into_iter().map(|found| {
        let place = found.primary.expect("every finding has a place");
        format!("{:?} {}: {}", source.slice(place.span), found.rule.code, found.message)
    });
    let found = found.collect();
    (parsed.value, found)
}

/// Checks the value nodes of a document: pointer, and the text that the span covers.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let (document, found) = parse(text);
    assert_eq!(found, Vec::<String>::new(), "{text:?}");
    let document = document.expect("it can be read");
    assert!(!document.is_partial());
    let mut nodes = Vec::new();
    walk(document.root(), &mut nodes);
    let expected: Vec<(String, String)> =
        expected.iter().map(|(pointer, text)| ((*pointer).to_owned(), (*text).to_owned())).collect();
    assert_eq!(nodes, expected, "{text:?}");
}

fn walk(node: Node<'_>, nodes: &mut Vec<(String, String)>) {
    if node.parent().is_some() {
        nodes.push((node.pointer(), node.document().source().slice(node.span()).to_owned()));
    }
    for entry in node.entries() {
        let key = node.document().source().slice(entry.key_node.span());
        // A key with escapes differs from its source; no sample here has one.
        assert_eq!(key.trim_matches(['"', '\'']), entry.key);
        assert_eq!(entry.value.key().map(Node::id), Some(entry.key_node.id()));
        walk(entry.value, nodes);
    }
    for (index, item) in node.items().enumerate() {
        assert_eq!(item.index(), Some(u32::try_from(index).unwrap()));
        walk(item, nodes);
    }
}

/// Checks the findings of a string, each with the text at its place, and the values of the tree; null if there
/// is none.
#[track_caller]
fn finds(text: &str, expected: &[&str], tree: &str) {
    let (document, found) = parse(text);
    assert_eq!(found, expected, "{text:?}");
    let json = document.as_ref().map_or(serde_json::Value::Null, |document| document.root().to_json());
    assert_eq!(json.to_string(), tree, "{text:?}");
}

#[test]
fn values_have_the_spans_at_which_they_are_written() {
    check(
        "a = 1 # one\nb = \"x\\ty\"\n'c d' = [1, 'two', [ ], {e = true}]\nf = {g = 1, h.i = 2}\n",
        &[
            ("/a", "1"),
            ("/b", "\"x\\ty\""),
            ("/c d", "[1, 'two', [ ], {e = true}]"),
            ("/c d/0", "1"),
            ("/c d/1", "'two'"),
            ("/c d/2", "[ ]"),
            ("/c d/3", "{e = true}"),
            ("/c d/3/e", "true"),
            ("/f", "{g = 1, h.i = 2}"),
            ("/f/g", "1"),
            ("/f/h", "h"),
            ("/f/h/i", "2"),
        ],
    );
    check(
        "a = '''\nx\n'''\r\nb = [ # c\r\n  1,\r\n]\r\n",
        &[("/a", "'''\nx\n'''"), ("/b", "[ # c\r\n  1,\r\n]"), ("/b/0", "1")],
    );
    check("\u{feff}\"é\" = \"日本\"\n", &[("/é", "\"日本\"")]);
    check("", &[]);
    check("# nothing\n\n", &[]);
}

#[test]
fn tables_are_at_their_headers_even_if_their_parts_are_apart() {
    check(
        "[a.b]\nx = 1\n[c]\ny = 2\n[ a ] # late\nz = 3\nd.e = 4\n",
        &[
            ("/a", "[ a ]"),
            ("/a/b", "[a.b]"),
            ("/a/b/x", "1"),
            ("/a/z", "3"),
            ("/a/d", "d"),
            ("/a/d/e", "4"),
            ("/c", "[c]"),
            ("/c/y", "2"),
        ],
    );
    check(
        "[[a]]\nx = 1\n[a.b]\n[[a]]\n[[a.c]]\n[[a.c]]\ny = 2\n",
        &[
            ("/a", "[[a]]"),
            ("/a/0", "[[a]]"),
            ("/a/0/x", "1"),
            ("/a/0/b", "[a.b]"),
            ("/a/1", "[[a]]"),
            ("/a/1/c", "[[a.c]]"),
            ("/a/1/c/0", "[[a.c]]"),
            ("/a/1/c/1", "[[a.c]]"),
            ("/a/1/c/1/y", "2"),
        ],
    );
    check("a.b.c = 1\na.b.d = 2\n", &[("/a", "a"), ("/a/b", "b"), ("/a/b/c", "1"), ("/a/b/d", "2")]);
}

#[test]
fn scalars_have_the_types_of_the_toml_specification() {
    let text = "a = 0x_\na = 1_000\nb = +1\nc = 0xff\nd = -inf\ne = 2026-11-20 10:30:00\nf = 'yes'\ng = false\nh = 1e3\n";
    let (document, _) = parse(text.split_once('\n').unwrap().1);
    let document = document.unwrap();
    let value = |key: &str| document.root().get(key).unwrap().value();
    assert_eq!(value("a"), Value::Integer(1_000));
    assert_eq!(value("b"), Value::Integer(1));
    assert_eq!(value("c"), Value::Integer(255));
    assert_eq!(value("d"), Value::Float(f64::NEG_INFINITY));
    assert_eq!(value("e"), Value::Date("2026-11-20 10:30:00"));
    assert_eq!(value("f"), Value::String("yes"));
    assert_eq!(value("g"), Value::Bool(false));
    assert_eq!(value("h"), Value::Float(1_000.0));
    assert_eq!(value("e").type_name(), "a date");
    // A key is a string, whatever it looks like.
    let (document, _) = parse("1 = 2\ntrue = 3\n");
    let document = document.unwrap();
    let keys: Vec<Value<'_>> = document.root().entries().map(|entry| entry.key_node.value()).collect();
    assert_eq!(keys, [Value::String("1"), Value::String("true")]);
}

#[test]
fn a_mistake_costs_its_line_and_no_other() {
    finds(
        "a = 1\nb = word\nc.d = [1, 2 3]\ne = 2\n",
        &["\"word\" toml/syntax: a string needs quotes", "\"2 3\" toml/syntax: two values follow each other"],
        r#"{"a":1,"b":null,"c":{"d":null},"e":2}"#,
    );
    finds("a\nb = 1\n", &["\"\" toml/syntax: a key needs `=` and a value"], r#"{"b":1}"#);
    finds("a. = 1\nb = 1\n", &["\"=\" toml/syntax: a key is missing"], r#"{"b":1}"#);
    // A bracket that belongs to no value does not take the next line with it.
    finds(
        "a = 1 [\nb = 1\n",
        &["\"[\" toml/syntax: unexpected text at the end of the line"],
        r#"{"a":null,"b":1}"#,
    );
    finds("a [ = 1\nb = 1\n", &["\"[\" toml/syntax: a key needs `=` and a value"], r#"{"b":1}"#);
    finds(
        "a = [ }\n]\nb = 1\n",
        &["\"}\" toml/syntax: a closing bracket has no opening bracket"],
        r#"{"a":null,"b":1}"#,
    );
    finds(
        "a = {b = 1, b = 2}\n",
        &["\"b\" toml/duplicate-key: the key `b` is defined twice"],
        r#"{"a":{"b":1}}"#,
    );
}

#[test]
fn keys_below_a_broken_header_belong_to_no_table() {
    finds(
        "a = 1\n[b\nc = 1\n[d]\ne = 1\n",
        &["\"\" toml/syntax: the header is not closed"],
        r#"{"a":1,"d":{"e":1}}"#,
    );
    finds("[a]\n[a.]\nb = 1\n", &["\"]\" toml/syntax: a key is missing"], r#"{"a":{}}"#);
    finds("a = 1\n[a.b]\nc = 1\n", &["\"a\" toml/duplicate-key: the key `a` is defined twice"], r#"{"a":1}"#);
}

#[test]
fn unclosed_constructs_are_reported_at_their_start() {
    finds("a = [1,\n2\nb = 3\n", &["\"[\" toml/syntax: `[` is not closed"], r#"{"a":null}"#);
    finds("a = {b = {c = 1\n", &["\"{\" toml/syntax: `{` is not closed"], r#"{"a":null}"#);
    finds(
        "a = \"b\nc = 1\n",
        &["\"\\\"\" toml/syntax: a quoted string is not closed"],
        r#"{"a":null,"c":1}"#,
    );
    finds("a = '''b\nc = 1\n", &["\"'''\" toml/syntax: a quoted string is not closed"], r#"{"a":null}"#);
}

#[test]
fn the_first_of_duplicate_definitions_is_used() {
    for (text, about, tree) in [
        ("a = 1\na = 2\n", "a", r#"{"a":1}"#),
        ("[a]\nb = 1\n[a]\nc = 1\n", "a", r#"{"a":{"b":1}}"#),
        ("[[a]]\n[a]\nb = 1\n", "a", r#"{"a":[{}]}"#),
        ("[a]\n[[a]]\nb = 1\n", "a", r#"{"a":{}}"#),
        ("a.b = 1\na = 2\n", "a", r#"{"a":{"b":1}}"#),
        ("[x]\na.b = 1\n[x.a]\nc = 1\n", "a", r#"{"x":{"a":{"b":1}}}"#),
        ("a = []\n[[a]]\nb = 1\n", "a", r#"{"a":[]}"#),
    ] {
        let expected = format!("{about:?} toml/duplicate-key: the key `a` is defined twice");
        finds(text, &[&expected], tree);
    }
    for text in ["a = {}\na.b = 1\n", "a = {}\n[a.b]\n", "[t]\n[t.a]\n[x]\n[t.y]\n[z]\nq={a={}, a.b=1}\n"] {
        let (document, found) = parse(text);
        assert_eq!(found, ["\"a\" toml/duplicate-key: the table `a` cannot be extended here"], "{text}");
        assert!(document.unwrap().is_partial(), "{text}");
    }
}

#[test]
fn unexpected_characters() {
    finds(
        "a = 'x\0y'\n",
        &["\"\\0\" toml/syntax: the character U+0000 is not allowed here"],
        r#"{"a":null}"#,
    );
    finds("a\0 = 1\n", &["\"\\0\" toml/syntax: the character U+0000 is not allowed here"], "{}");
    finds(
        "# \u{7f}\na = 1\n",
        &["\"\\u{7f}\" toml/syntax: the character U+007F is not allowed here"],
        r#"{"a":1}"#,
    );
    finds(
        "a = 1\rb = 2",
        &["\"\\r\" toml/syntax: a carriage return alone does not end a line"],
        r#"{"a":1,"b":2}"#,
    );
    finds(
        "\u{feff}\u{feff}a = 1\n",
        &["\"\\u{feff}\" toml/syntax: the character U+FEFF is not allowed here"],
        r#"{"a":1}"#,
    );
}
