//! The minds files that a member receives.

use std::collections::BTreeMap;

use minds_core::{MAX_MIND_BYTES, MindFile, TeamFamily, choose_mind_files};
use minds_diagnostics::Problems;
use minds_diagnostics::emit::visible;
use minds_vfs::{Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use crate::redact::without_secrets;

/// A minds file as its member receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberFile {
    /// `persona`, `knowledge` or `lessons`.
    pub kind: String,
    /// The path of the file in the workspace.
    pub file: String,
    /// The text without secrets, or why it cannot be read, as a phrase that follows "it".
    pub text: Result<String, String>,
}

/// The minds files of a workspace, by member.
#[derive(Debug)]
pub struct MemberFiles<'s> {
    snapshot: &'s Snapshot,
    /// The language setting, if there is one.
    language: Option<String>,
    files: BTreeMap<&'s str, Vec<&'s WorkspacePath>>,
}

impl<'s> MemberFiles<'s> {
    /// Finds the minds files in a snapshot without reading them.
    pub fn of(snapshot: &'s Snapshot) -> Self {
        let family = TeamFamily::load(snapshot).take(&mut Problems::new());
        let language = family.readable_settings().and_then(|settings| settings.language().map(str::to_owned));
        let mut files = BTreeMap::<&str, Vec<&WorkspacePath>>::new();
        for (location, _) in snapshot.iter().filter(|(location, _)| location.mount == MountId::WORKSPACE) {
            if let Some(file) = MindFile::parse(&location.path) {
                files.entry(file.member).or_default().push(&location.path);
            }
        }
        Self { snapshot, language, files }
    }

    /// Returns whether a member has minds files.
    pub fn has(&self, member: &str) -> bool {
        self.files.contains_key(member)
    }

    /// Returns the minds files of a member in the language of the workspace: its persona, knowledge and lessons, if they exist.
    pub fn of_member(&self, member: &str) -> Vec<MemberFile> {
        let paths = self.files.get(member).into_iter().flatten().copied();
        let chosen = choose_mind_files(paths, member, self.language.as_deref());
        let text = chosen.into_iter().map(|(file, path)| {
            let entry = self.snapshot.get(&Location::new(MountId::WORKSPACE, path.clone()));
            let text = entry.map_or(Err("does not exist".to_owned()), read);
            MemberFile {
                kind: file.kind.to_owned(),
                file: path.as_str().to_owned(),
                text: text.map(|text| for_model(path.as_str(), &text)),
            }
        });
        text.collect()
    }
}

/// Returns the text of a file for a model: with secrets redacted and hidden text escaped, so that a model and
/// a human reviewer read the same.
fn for_model(file: &str, text: &str) -> String {
    visible(&without_secrets(file, text)).into_owned()
}

fn read(entry: &SnapshotEntry) -> Result<String, String> {
    match entry {
        SnapshotEntry::File { bytes, .. } if bytes.len() > MAX_MIND_BYTES => Err("is too large".to_owned()),
        SnapshotEntry::File { bytes, .. } => {
            bytes.text().map(str::to_owned).map_err(|_| "is not valid UTF-8".to_owned())
        }
        SnapshotEntry::Link { .. } => Err("is a symbolic link".to_owned()),
        SnapshotEntry::HardLinked => Err("has several hard links".to_owned()),
        SnapshotEntry::TooLarge { .. } => Err("is too large".to_owned()),
        SnapshotEntry::Directory | SnapshotEntry::Special => Err("is not a regular file".to_owned()),
        SnapshotEntry::Unread
        | SnapshotEntry::Outside { .. }
        | SnapshotEntry::Untrusted { .. }
        | SnapshotEntry::Unreadable { .. } => Err("could not be read by the system".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_text_is_escaped() {
        let path = WorkspacePath::parse(".minds/team/coder/persona.md").unwrap();
        let text = "You write code.\u{e0041} 👩\u{200d}💻\n";
        let snapshot = Snapshot::new().with_file(path, text);
        let texts = MemberFiles::of(&snapshot).of_member("coder");
        assert_eq!(texts[0].text.as_deref(), Ok("You write code.\\u{e0041} 👩\u{200d}💻\n"));
    }

    #[test]
    fn a_member_receives_only_its_own_files() {
        let path = |path: &str| WorkspacePath::parse(path).unwrap();
        let secret = format!("sk-{}", "a1B2c3D4e5F6g7H8".repeat(3));
        let snapshot = Snapshot::new()
            .with_file(path(".minds/minds.toml"), "language = 'zh'\n")
            .with_file(path(".minds/team/coder/persona.md"), "You write code.\n")
            .with_file(path(".minds/team/coder/persona.zh.md"), format!("{secret}\n"))
            .with_file(path(".minds/team/coder/knowledge.md"), b"caf\xe9")
            .with_file(path(".minds/team/other/lessons.md"), "secret of another member\n");
        let all = MemberFiles::of(&snapshot);
        let texts = all.of_member("coder");
        let files: Vec<&str> = texts.iter().map(|text| text.file.as_str()).collect();
        assert_eq!(files, [".minds/team/coder/persona.zh.md", ".minds/team/coder/knowledge.md"]);
        let persona = texts[0].text.as_ref().unwrap();
        assert!(!persona.contains(&secret) && persona.contains('*'), "{persona}");
        assert_eq!(texts[1].text, Err("is not valid UTF-8".to_owned()));
        for member in ["", "..", "../coder", "coder/x", "codr"] {
            assert_eq!((all.has(member), all.of_member(member)), (false, vec![]), "{member}");
        }
    }
}
