//! Whether a mapping was decoded completely.

use minds_diagnostics::SourceFile;
use minds_document::{Completeness, Context, Decode, Field, Keys, List, Text, toml};

/// A mapping in a list.
#[derive(Debug, Default, Keys, Decode, Completeness)]
#[keys(title = "part", list = "a list of parts")]
struct Part {
    /// A key.
    name: Field<Text>,
}

/// Keys of another mapping.
#[derive(Debug, Default, Keys, Completeness)]
#[keys(group)]
struct Group {
    /// A key.
    flag: Field<bool>,
}

/// A mapping.
#[derive(Debug, Default, Keys, Decode, Completeness)]
#[keys(title = "whole")]
struct Whole {
    /// A key.
    title: Field<Text>,
    /// Other keys.
    #[key(flatten)]
    group: Group,
    /// A list.
    parts: Field<List<Part>>,
}

#[track_caller]
fn check(text: &str, expected: bool) {
    let source = SourceFile::new("whole.toml", text);
    let document = toml::parse(&source).value;
    let whole = Whole::decode(document.expect("the syntax is right").root(), &mut Context::new())
        .expect("it is a table");
    assert_eq!(whole.is_complete(), expected, "{text}");
}

#[test]
fn every_key_counts() {
    check("", true);
    check("title = 'a'\nflag = true\nparts = [{name = 'b'}]", true);
    check("title = []", false);
    check("flag = 3", false);
    check("parts = 3", false);
    check("parts = [{name = 'b'}, 3]", false);
    check("parts = [{name = []}]", false);
}
