//! The tree of each valid file: every node with its place, its type and its value.

use std::fmt::Write as _;
use std::fs;

use minds_diagnostics::SourceFile;
use minds_document::{Document, Format};

fn tree(document: &Document) -> String {
    let mut tree = String::new();
    for node in document.iter() {
        let range = document.source().range(node.span());
        let place =
            format!("{}:{}-{}:{}", range.start.line, range.start.column, range.end.line, range.end.column);
        let target = node.resolve_alias();
        let value = match node.scalar_text() {
            Some(text) => format!("{} {text:?}", node.value().type_name()),
            None if target.id() != node.id() => format!("an alias of `{}`", target.pointer()),
            None => node.value().type_name().to_owned(),
        };
        let _ = writeln!(tree, "{place} `{}` {value}", node.pointer());
    }
    tree
}

#[test]
fn trees() {
    insta::glob!("../../../../fixtures/document/trees", "*.{yaml,toml}", |case| {
        let name = case.file_name().unwrap().to_str().unwrap();
        let parsed = Format::of(name).unwrap().parse(&SourceFile::new(name, fs::read(case).unwrap()));
        assert!(parsed.problems.is_empty(), "{name} has problems");
        insta::assert_snapshot!(tree(&parsed.value.unwrap()));
    });
}
