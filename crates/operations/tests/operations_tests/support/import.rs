//! Teams made from the files of clients.

use std::fs;
use std::path::Path;

use minds_operations::{InitFromOutcome, InitFromRequest, init_from};

/// Imports the files of all clients in a workspace, and returns the codes of the findings.
pub(crate) fn import_codes(workspace: &Path) -> Vec<&'static str> {
    let request = InitFromRequest { base: workspace, client: None, write: false };
    let report = match init_from(&request).expect("the workspace can be read") {
        InitFromOutcome::Done(imported) => imported.report,
        InitFromOutcome::Refused(report) => report,
        InitFromOutcome::Exists(path) => panic!("{path} exists"),
    };
    report.diagnostics.iter().map(|found| found.rule.code).collect()
}

/// Copies a directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be listed") {
        let entry = entry.expect("the folder can be listed");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}
