use minds_diagnostics::{Diagnostic, Severity, rule};

use super::{Check, shorten, version_note};
use crate::family::ClientFile;
use crate::kind::Kind;
use crate::tree::{Entry, Value};

rule! {
    pub(crate) static RULE {
        code: "client/invalid-permission-path",
        summary: "a path in a permission profile of Codex is one that it refuses or ignores",
        severity: Error,
        suppressible: true,
        since: "0.1.0",
        page: "invalid_permission_path.md",
    }
}

/// The mapping with paths relative to the workspace.
const WORKSPACE: &str = ":workspace_roots";
/// The names that stand for directories.
const NAMES: [&str; 5] = [":root", ":minimal", ":tmpdir", ":slash_tmp", WORKSPACE];

/// What is wrong with a path, what Codex does, and what to do.
struct Flaw {
    severity: Severity,
    why: &'static str,
    effect: &'static str,
    help: &'static str,
}

pub(super) fn check(check: &mut Check<'_>, file: &ClientFile) {
    if file.client.id != "codex" || file.kind != Kind::Settings {
        return;
    }
    let Some(profiles) = file.get("permissions") else { return };
    for profile in profiles.entries() {
        let Some(filesystem) = profile.item.get("filesystem") else { continue };
        for entry in filesystem.entries() {
            if let Value::Mapping(inner) = &entry.item.value {
                for entry in inner {
                    check_path(check, file, entry);
                }
            } else {
                check_path(check, file, entry);
            }
        }
    }
}

fn check_path(check: &mut Check<'_>, file: &ClientFile, entry: &Entry) {
    let Some(access) = entry.item.text() else { return };
    let Some(Flaw { severity, why, effect, help }) = flaw(&entry.key, access) else { return };
    check.report(&RULE, file, entry.key_span, |label| {
        Diagnostic::new(&RULE, format!("invalid path `{}`: {why}", shorten(&entry.key)))
            .severity(severity)
            .primary(label)
            .note(effect)
            .note(version_note(file))
            .help(help)
    });
}

fn flaw(path: &str, access: &str) -> Option<Flaw> {
    const REFUSED: &str = "Codex does not accept the profile";
    if path.starts_with(':') {
        return (!NAMES.contains(&path)).then_some(Flaw {
            severity: Severity::Warning,
            why: "Codex does not know the name",
            effect: "Codex ignores the entry",
            help: "write `:root`, `:minimal`, `:tmpdir` or `:slash_tmp`",
        });
    }
    // `.` alone is the workspace.
    if path != "." && path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Some(Flaw {
            severity: Severity::Error,
            why: "it has a segment `.` or `..`",
            effect: REFUSED,
            help: "write the path without `.` and `..`",
        });
    }
    let stem = path.strip_suffix("/**").unwrap_or(path);
    if matches!(access, "read" | "write") && stem.contains(['*', '?']) {
        return Some(Flaw {
            severity: Severity::Error,
            why: "only `deny` can have a wildcard other than `/**` at the end",
            effect: REFUSED,
            help: "write a directory, or `DIRECTORY/**`",
        });
    }
    None
}
