//! Every node has the span that a reader expects.

use minds_diagnostics::SourceFile;
use minds_document::{Document, Value, yaml};

fn parse(text: &str) -> (Option<Document>, Vec<String>) {
    let source = SourceFile::new("x.yaml", text);
    let parsed = yaml::parse(&source);
    let found = parsed.problems.into_sorted().into_iter().map(|found| {
        let place = found.primary.expect("every finding has a place");
        let range = source.range(place.span);
        format!(
            "{}:{}-{}:{} {} {}",
            range.start.line,
            range.start.column,
            range.end.line,
            range.end.column,
            found.rule.code,
            found.message
        )
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
    let mut nodes = Vec::new();
    walk(document.root(), &mut nodes);
    let expected: Vec<(String, String)> =
        expected.iter().map(|(pointer, text)| ((*pointer).to_owned(), (*text).to_owned())).collect();
    assert_eq!(nodes, expected, "{text:?}");
}

fn walk(node: minds_document::Node<'_>, nodes: &mut Vec<(String, String)>) {
    nodes.push((node.pointer(), node.document().source().slice(node.span()).to_owned()));
    for entry in node.entries() {
        let key = node.document().source().slice(entry.key_node.span());
        // A key with escapes differs from its source; no sample here has one.
        assert_eq!(key.trim_matches(['"', '\'']), entry.key);
        walk(entry.value, nodes);
    }
    for item in node.items() {
        walk(item, nodes);
    }
}

/// Checks the findings of a string: `line:column-line:column code message`.
#[track_caller]
fn finds(text: &str, expected: &[&str]) {
    assert_eq!(parse(text).1, expected, "{text:?}");
}

#[test]
fn block_collections_end_with_their_last_value() {
    check(
        "a: 1\nb:\n  c: x y   # why\n  d:\n  - 1\n  -  two\n\n# end\n",
        &[
            ("", "a: 1\nb:\n  c: x y   # why\n  d:\n  - 1\n  -  two"),
            ("/a", "1"),
            ("/b", "c: x y   # why\n  d:\n  - 1\n  -  two"),
            ("/b/c", "x y"),
            ("/b/d", "- 1\n  -  two"),
            ("/b/d/0", "1"),
            ("/b/d/1", "two"),
        ],
    );
}

#[test]
fn flow_collections_reach_from_bracket_to_bracket() {
    check(
        "{a: [1, 'b', \"c\\n\"], d: {}, e: [ ]}\n",
        &[
            ("", "{a: [1, 'b', \"c\\n\"], d: {}, e: [ ]}"),
            ("/a", "[1, 'b', \"c\\n\"]"),
            ("/a/0", "1"),
            ("/a/1", "'b'"),
            ("/a/2", "\"c\\n\""),
            ("/d", "{}"),
            ("/e", "[ ]"),
        ],
    );
}

#[test]
fn a_missing_value_is_after_its_indicator() {
    let text = "a:\nb: # nothing\nc:\n  -\n  - \n  - x\nd: {e, f: , g: 1}\n";
    let (document, found) = parse(text);
    assert!(found.is_empty(), "{found:?}");
    let document = document.unwrap();
    let at = |pointer: &str| {
        let node = document.iter().find(|node| {
            node.pointer() == pointer && node.key().is_some()
                || node.pointer() == pointer && node.index().is_some()
        });
        let span = node.unwrap().span();
        assert!(span.is_empty(), "{pointer}");
        span.start() as usize
    };
    assert_eq!(at("/a"), text.find("a:").unwrap() + 2);
    assert_eq!(at("/b"), text.find("b:").unwrap() + 2);
    assert_eq!(at("/c/0"), text.find("-\n").unwrap() + 1);
    assert_eq!(at("/c/1"), text.find("- \n").unwrap() + 1);
    assert_eq!(at("/d/e"), text.find("e, ").unwrap() + 1);
    assert_eq!(at("/d/f"), text.find("f: ").unwrap() + 2);
}

#[test]
fn anchors_and_tags_are_not_part_of_the_value() {
    check(
        "a: &x !!str 5\nb: &y {c: 1}\nd: &z\n  e: 2\nf: *y\ng: !!seq\n- 1\n",
        &[
            ("", "a: &x !!str 5\nb: &y {c: 1}\nd: &z\n  e: 2\nf: *y\ng: !!seq\n- 1"),
            ("/a", "5"),
            ("/b", "{c: 1}"),
            ("/b/c", "1"),
            ("/d", "e: 2"),
            ("/d/e", "2"),
            ("/b", "{c: 1}"),
            ("/b/c", "1"),
            ("/g", "- 1"),
            ("/g/0", "1"),
        ],
    );
}

#[test]
fn strings_over_several_lines() {
    check(
        "a: |\n  one\n  two\nb: >-\n  x\n  y\n\nc: plain\n  folded\nd: 'q\n  r'\n",
        &[
            ("", "a: |\n  one\n  two\nb: >-\n  x\n  y\n\nc: plain\n  folded\nd: 'q\n  r'"),
            ("/a", "|\n  one\n  two"),
            ("/b", ">-\n  x\n  y"),
            ("/c", "plain\n  folded"),
            ("/d", "'q\n  r'"),
        ],
    );
    let (document, _) = parse("a: |\n  one\n  two\nc: plain\n  folded\n");
    let document = document.unwrap();
    assert_eq!(document.root().get("a").unwrap().value(), Value::String("one\ntwo\n"));
    assert_eq!(document.root().get("c").unwrap().value(), Value::String("plain folded"));
}

#[test]
fn byte_order_mark_crlf_and_wide_characters_keep_exact_spans() {
    check(
        "\u{feff}名: 全栈 # é\r\n\"ключ\": [é, '🧑‍💻', ok]\r\nz: |\r\n  é\r\nlast: x\r\n",
        &[
            ("", "名: 全栈 # é\r\n\"ключ\": [é, '🧑‍💻', ok]\r\nz: |\r\n  é\r\nlast: x"),
            ("/名", "全栈"),
            ("/ключ", "[é, '🧑‍💻', ok]"),
            ("/ключ/0", "é"),
            ("/ключ/1", "'🧑‍💻'"),
            ("/ключ/2", "ok"),
            ("/z", "|\r\n  é"),
            ("/last", "x"),
        ],
    );
}

#[test]
fn pointers_escape_what_they_must() {
    check(
        "a/b: {c~d: [{'': 1}]}\n",
        &[
            ("", "a/b: {c~d: [{'': 1}]}"),
            ("/a~1b", "{c~d: [{'': 1}]}"),
            ("/a~1b/c~0d", "[{'': 1}]"),
            ("/a~1b/c~0d/0", "{'': 1}"),
            ("/a~1b/c~0d/0/", "1"),
        ],
    );
}

#[test]
fn nothing_is_a_document_that_is_null() {
    for text in ["", "\n\n", "# only a comment\n", "---\n", "\u{feff}"] {
        let (document, found) = parse(text);
        assert!(found.is_empty(), "{text:?}: {found:?}");
        assert_eq!(document.unwrap().root().value(), Value::Null, "{text:?}");
    }
}

#[test]
fn duplicate_keys() {
    finds(
        "a: 1\nb: 2\n\"a\": 3\na: 4\n",
        &[
            "3:1-3:4 yaml/duplicate-key the key `a` is defined twice",
            "4:1-4:2 yaml/duplicate-key the key `a` is defined twice",
        ],
    );
    finds("x: {é: 1, b: 2, é: 3}\n", &["1:17-1:18 yaml/duplicate-key the key `é` is defined twice"]);
    let many: String = (0..40).map(|i| format!("k{}: 0\n", i % 39)).collect();
    finds(&many, &["40:1-40:3 yaml/duplicate-key the key `k0` is defined twice"]);
}

#[test]
fn several_documents() {
    finds("a: 1\n---\nb: 2\n", &["2:1-2:4 yaml/several-documents the file has several documents"]);
    finds("--- {a: 1}\n...\n--- x\n", &["3:1-3:4 yaml/several-documents the file has several documents"]);
    finds("---\na: 1\n...\n", &[]);
}

#[test]
fn aliases() {
    finds(
        "a: *nope\nb: [*other, 1]\nc: {d: e}\n",
        &[
            "1:4-1:9 yaml/unknown-alias the alias `*nope` has no preceding anchor",
            "2:5-2:11 yaml/unknown-alias the alias `*other` has no preceding anchor",
        ],
    );
    finds(
        "a: &x [1, *x]\n",
        &["1:11-1:13 yaml/recursive-alias an alias stands for a value that contains it"],
    );
    finds("a: &x 1\nb: *x\n*x : 2\n", &[]);
}

#[test]
fn tabs() {
    finds("member_defaults:\n\tprovider: codex\n", &["2:1-2:2 yaml/tab YAML cannot be indented with tabs"]);
    finds("a:\n  b: 1\n \tc: 2\n", &["3:2-3:3 yaml/tab YAML cannot be indented with tabs"]);
    finds("a:\n  - x\n\t- y\n", &["3:1-3:2 yaml/tab YAML cannot be indented with tabs"]);
    finds("a:\tb\n", &["1:3-1:4 yaml/tab a tab is not allowed as a separator"]);
    finds("a: b\t# c\nc: [\t1,\t2 ]\t# d\n", &[]);
}

#[test]
fn tags() {
    finds(
        "a: !foo 1\nb: !!int x\nc: !!map [1]\nd: !!str 1\ne: !!float 1\n",
        &[
            "1:4-1:8 yaml/tag the tag `!foo` cannot be used here",
            "2:4-2:9 yaml/tag the tag `!!int` cannot be used here",
            "3:4-3:9 yaml/tag the tag `!!map` cannot be used here",
        ],
    );
}

#[test]
fn tags_that_mean_nothing_new() {
    check(
        "a: ! 7\nb: !!int 7\nc: !<tag:yaml.org,2002:str> 5\nd: ! [1]\n",
        &[
            ("", "a: ! 7\nb: !!int 7\nc: !<tag:yaml.org,2002:str> 5\nd: ! [1]"),
            ("/a", "7"),
            ("/b", "7"),
            ("/c", "5"),
            ("/d", "[1]"),
            ("/d/0", "1"),
        ],
    );
    // What was meant is a string with an exclamation mark.
    finds("a: [x, !os]\n", &["1:8-1:11 yaml/tag the tag `!os` cannot be used here"]);
}

#[test]
fn quoted_strings_end_with_their_quote() {
    check(
        "a: \"x\"   # c\n'b'  : 'it''s' \n\nc: [\"q\\\"\" , 'r' # d\n ]\n",
        &[
            ("", "a: \"x\"   # c\n'b'  : 'it''s' \n\nc: [\"q\\\"\" , 'r' # d\n ]"),
            ("/a", "\"x\""),
            ("/b", "'it''s'"),
            ("/c", "[\"q\\\"\" , 'r' # d\n ]"),
            ("/c/0", "\"q\\\"\""),
            ("/c/1", "'r'"),
        ],
    );
    finds("'a' : 1\n'a'  : 2\n", &["2:1-2:4 yaml/duplicate-key the key `a` is defined twice"]);
}

#[test]
fn characters_that_yaml_does_not_allow() {
    finds("a: \u{1}\n", &["1:4-1:5 yaml/syntax the character U+0001 is not allowed in YAML"]);
    finds("\u{96}: 1\n", &["1:1-1:2 yaml/syntax the character U+0096 is not allowed in YAML"]);
}

#[test]
fn lines_that_lack_a_character() {
    finds(
        "members:\n  writer\n    name: W\n",
        &["2:3-2:9 yaml/syntax a key needs `:` after it on the same line"],
    );
    finds("a:\n  name:W\n  icon: x\n", &["2:3-2:9 yaml/syntax `:` must be followed by a space"]);
}

#[test]
fn keys_that_are_not_strings() {
    finds("? [a, b]\n: 1\n", &["1:3-1:9 yaml/complex-key a key must be a string"]);
}

#[test]
fn syntax_in_plain_words() {
    finds("a: [\n", &["2:1-2:1 yaml/syntax `[` is not closed"]);
    finds("a: 'x\n", &["1:4-1:5 yaml/syntax a quoted string is not closed"]);
    finds("a: 'x\nb: 1\n", &["1:4-1:5 yaml/syntax a quoted string is not closed"]);
    finds("a: b: c\n", &["1:5-1:6 yaml/syntax `:` cannot start a value here"]);
    finds("a: 1\n  b: 2\n", &["2:4-2:5 yaml/syntax `:` cannot start a value here"]);
    finds("a: @x\n", &["1:4-1:5 yaml/syntax a value cannot start with this character"]);
    finds("a: \"\\q\"\n", &["1:4-1:5 yaml/syntax unknown escape in a double-quoted string"]);
    finds("a: 1\nb\n", &["2:1-2:2 yaml/syntax a key needs `:` after it on the same line"]);
    finds("a: 1\n  \nb c # d\n\ne: 2\n", &["3:1-3:8 yaml/syntax a key needs `:` after it on the same line"]);
    finds("a:\n- x\n- z: 1\n w: 2\n", &["4:2-4:3 yaml/syntax expected a key"]);
    finds("  a: 1\n b: 2\n", &["2:2-2:3 yaml/syntax the indentation does not match any preceding line"]);
    finds("a: 1\n]\n", &["2:1-2:2 yaml/syntax a closing bracket has no opening bracket"]);
    finds("a: *\n", &["1:4-1:5 yaml/syntax `&` and `*` must be followed by a name"]);
    finds("a: \"b\"c\n", &["1:7-1:8 yaml/syntax text follows a closed quote"]);
    finds("a: {b: 1\nc: 2\n", &["2:2-2:3 yaml/syntax a `,` or `}` is missing in a mapping in braces"]);
    finds("x: {a: 1, , b: 2}\n", &["1:11-1:12 yaml/syntax expected a value"]);
}

#[test]
fn text_that_is_not_utf8() {
    let source = SourceFile::new("x.yaml", b"a: \xc3\xa9\nb: \xff\xfe\n".to_vec());
    let found = yaml::parse(&source).problems.into_sorted();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule.code, "yaml/not-utf8");
    assert_eq!(found[0].primary.as_ref().unwrap().span.range(), 9..10);
}
