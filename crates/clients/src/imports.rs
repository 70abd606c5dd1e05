//! `@path` in instructions, which includes another file.

use minds_diagnostics::{SourceFile, Span};
use minds_vfs::WorkspacePath;

use crate::json::span;

/// An import of another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The place, with `@`.
    pub span: Span,
    /// The imported file.
    pub target: WorkspacePath,
}

/// The maximum number of imports of one file that are looked up.
const MAX_IMPORTS: usize = 1_000;

/// The extensions of text files. Other words with `@` are mostly names of users and packages.
const EXTENSIONS: [&str; 10] = ["md", "mdc", "mdx", "txt", "json", "jsonc", "yaml", "yml", "toml", "rst"];

/// Returns the imports of a file outside of code. Files outside of the workspace are left out, because a check does not look
/// there.
pub(crate) fn imports(path: &WorkspacePath, source: &SourceFile) -> Vec<Import> {
    let Ok(text) = source.text() else { return Vec::new() };
    let folder = path.parent().unwrap_or_default();
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if found.len() < MAX_IMPORTS && line.contains('@') => {
                in_line(line, start, &folder, &mut found);
            }
            _ => {}
        }
    }
    found
}

fn in_line(line: &str, start: usize, folder: &WorkspacePath, found: &mut Vec<Import>) {
    let mut is_code = false;
    let mut at = 0;
    for piece in line.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let begins_in_code = is_code;
        is_code ^= word.matches('`').count() % 2 == 1;
        if let Some(path) = word.strip_prefix('@').filter(|_| !begins_in_code && !word.contains('`')) {
            let path = path.trim_end_matches(['.', ',', ';', ':', ')', '!', '?', '"', '\'', '*', '_']);
            let path = path.split('#').next().unwrap_or_default();
            if let Some(target) = target(path, folder) {
                found.push(Import { span: span(start + at, start + at + 1 + path.len()), target });
            }
        }
        at += piece.len();
    }
}

fn target(path: &str, folder: &WorkspacePath) -> Option<WorkspacePath> {
    let (_, extension) = path.rsplit_once('.')?;
    if path.starts_with(['/', '~', '<', '{', '$']) || path.contains(['*', '<', '>', '\\', '{']) {
        return None;
    }
    if !EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()) {
        return None;
    }
    let joined = if folder.is_root() { path.to_owned() } else { format!("{folder}/{path}") };
    WorkspacePath::normalize(&joined).ok().filter(|path| !path.is_root())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_outside_of_code() {
        let text = "See @docs/a.md and @./b.md.\n`@c.md` and `x @d.md y`\n```\n@e.md\n```\n@org/pkg user@mail.com @team\n@../up.md @~/home.md\n- @README.md, then\n";
        let source = SourceFile::new("p/CLAUDE.md", text);
        let path = WorkspacePath::parse("p/CLAUDE.md").unwrap();
        let found: Vec<String> = imports(&path, &source)
            .iter()
            .map(|import| format!("{} {}", source.slice(import.span), import.target))
            .collect();
        assert_eq!(
            found,
            ["@docs/a.md p/docs/a.md", "@./b.md p/b.md", "@../up.md up.md", "@README.md p/README.md"]
        );
    }
}
