//! Any bytes as a Markdown text: head and body are the text, and every place of the head lies in it.

use minds_diagnostics::SourceFile;
use minds_document::Markdown;

/// Checks the properties above for some bytes.
pub(crate) fn expect(bytes: &[u8]) {
    let source = SourceFile::new("SKILL.md", bytes);
    let part = |range: std::ops::Range<usize>| bytes.get(range).expect("spans lie in the text");
    let split = match Markdown::split(&source) {
        Ok(split) => split,
        Err(open) => {
            assert!(matches!(part(open.fence.range()), b"---" | b"+++"));
            return;
        }
    };
    let Some(head) = split.front_matter else {
        assert_eq!(part(split.body.range()), bytes);
        return;
    };
    assert_eq!([part(head.span.range()), part(split.body.range())].concat(), bytes);
    assert!(head.span.covers(head.data));
    let parsed = head.parse(&source);
    for node in parsed.value.iter().flat_map(minds_document::Document::iter) {
        assert!(head.span.covers(node.span()), "{node:?}");
        assert!(source.text().is_ok_and(|text| text.get(node.span().range()).is_some()), "{node:?}");
    }
    for found in parsed.problems.into_sorted() {
        for label in found.primary.iter().chain(&found.secondary) {
            let is_about_the_file = label.span.is_empty() || source.text().is_err();
            assert!(is_about_the_file || head.span.covers(label.span), "{found:?}");
        }
    }
}
