//! Any bytes as `team.yaml`: the file is refused with a reason, or its formatted text has the same values, keeps every character
//! that is no white space, and is a form itself.

use minds_diagnostics::SourceFile;
use minds_document::yaml;
use minds_yaml_format::{Refusal, format};

/// Checks the properties above for some bytes.
pub(crate) fn expect(bytes: &[u8]) {
    let order = minds_core::key_order(minds_core::TEAM_FILE).expect("the file has an order");
    let source = SourceFile::new("team.yaml", bytes);
    let after = match format(&source, order) {
        Ok(after) => after,
        Err(Refusal::Problems(problems)) => {
            assert!(!problems.is_empty());
            return;
        }
        Err(_) => return,
    };
    let again = format(&SourceFile::new("team.yaml", after.as_str()), order);
    assert_eq!(again.ok().as_deref(), Some(after.as_str()), "the form is no form");
    let said = |bytes: &[u8]| {
        let parsed = yaml::parse(&SourceFile::new("team.yaml", bytes));
        assert!(parsed.problems.is_empty(), "{after:?}");
        parsed.value.map(|document| document.root().to_json())
    };
    assert_eq!(said(bytes), said(after.as_bytes()), "{after:?}");
    assert_eq!(characters(bytes), characters(after.as_bytes()), "{after:?}");
}

fn characters(bytes: &[u8]) -> Vec<u8> {
    let mut kept: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    kept.sort_unstable();
    kept
}
