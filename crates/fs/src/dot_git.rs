//! Names that belong to git.

use minds_vfs::portable;

/// Returns whether some system treats a name as `.git`: ignoring case, with zero-width characters, with
/// trailing dots and spaces, with a stream name after a colon, or as its short name.
pub fn is_dot_git(name: &str) -> bool {
    let has_width = |c: &char| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let visible: String = name.chars().filter(has_width).collect();
    let folded = portable::fold(&visible);
    let stem = folded.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    if stem == ".git" {
        return true;
    }
    let number = stem.strip_prefix("git~");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_of_the_name_are_recognized() {
        for name in
            [".git", ".GIT", ".git ", ".git.", ".git::$INDEX_ALLOCATION", "git~1", "GIT~12", ".g\u{200c}it"]
        {
            assert!(is_dot_git(name), "{name:?}");
        }
        for name in ["git", ".github", ".gitignore", "git~x", "git~", "x.git"] {
            assert!(!is_dot_git(name), "{name:?}");
        }
    }
}
