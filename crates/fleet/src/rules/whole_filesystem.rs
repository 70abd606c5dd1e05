use minds_diagnostics::{Diagnostic, rule};

use minds_document::Field;

use super::{Check, shorten};

rule! {
    pub(crate) static RULE {
        code: "fleet/whole-filesystem",
        summary: "an agent may access every file of the machine",
        severity: Warning,
        suppressible: true,
        since: "0.1.0",
        page: "whole_filesystem.md",
    }
}

pub(super) fn check(check: &mut Check<'_>) {
    for readable in check.readable() {
        let whitelist = readable.agent.fs.as_given().map(|sandbox| &sandbox.value.whitelist);
        let exec = readable.agent.exec.as_given();
        let exec = exec.into_iter().flat_map(|exec| [&exec.value.read, &exec.value.write]);
        let lists = whitelist.into_iter().chain(exec).filter_map(Field::as_given);
        for path in lists.flat_map(|paths| &paths.value.items).filter(|path| is_root(&path.value)) {
            check.report(&RULE, readable.document, path, |label| {
                Diagnostic::new(
                    &RULE,
                    format!("`{}` gives the agent access to every file", shorten(&path.value)),
                )
                .primary(label.message("the root of a file system"))
                .note("this includes keys, shell profiles and the files of other projects")
                .help("name the directories that the agent needs")
            });
        }
    }
}

/// Returns whether an absolute path names the root of a file system or drive, however it is written.
fn is_root(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("//?/").unwrap_or(&path);
    let mut depth = 0_usize;
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    for (at, part) in parts.enumerate() {
        match part {
            ".." => depth = depth.saturating_sub(1),
            drive if at == 0 && drive.len() == 2 && drive.ends_with(':') => {}
            _ => depth += 1,
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_known_in_every_spelling() {
        for root in
            ["/", "//", "/.", "/..", "/home/..", "/a/./b/../..", "C:/", "C:\\", "c:\\.", "\\\\?\\C:\\"]
        {
            assert!(is_root(root), "{root}");
        }
        for other in ["/home", "/a/..b", "/...", "C:\\work", "\\\\server\\share", "/home/../srv"] {
            assert!(!is_root(other), "{other}");
        }
    }
}
