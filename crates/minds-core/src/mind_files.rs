//! Minds files: the instructions of each member, in `.minds/team/<member>/`.

use std::collections::BTreeMap;

use minds_diagnostics::{Diagnostic, Problems, SourceFile, Span, find_misspelled};
use minds_vfs::rules;
use minds_vfs::{DirectoryScope, Location, MountId, Snapshot, SnapshotEntry, WorkspacePath};

use crate::settings::is_language_tag;

/// The directory that contains a directory for each member.
pub const MINDS_FOLDER: &str = ".minds/team";

/// The names of minds files, without the optional language tag and `.md`.
const KINDS: [&str; 3] = ["persona", "knowledge", "lessons"];

/// Names that later programs use for minds files, and the corresponding kinds.
const LATER_KINDS: [(&str, &str); 2] = [("knowhow", "knowledge"), ("pitfalls", "lessons")];

/// The maximum size of a minds file in bytes: the whole file is sent to a model.
pub const MAX_MIND_BYTES: usize = 1 << 20;

/// The maximum number of entries in the directories of all members, and the maximum total size of all minds files in bytes.
const MAX_ENTRIES: usize = 10_000;
const MAX_BYTES: u64 = 64 << 20;

/// The meaning of the path of a minds file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MindFile<'p> {
    /// The id of the member.
    pub member: &'p str,
    /// `persona`, `knowledge` or `lessons`.
    pub kind: &'p str,
    /// The language tag, if the name has one.
    pub language: Option<&'p str>,
}

/// The directories of members.
#[derive(Debug, Default)]
pub struct MindFolders {
    /// The directories with minds files, by directory name, which is the id of the member.
    pub members: BTreeMap<String, Location>,
    /// Files that are probably intended as minds files but have different names.
    pub misnamed: Vec<MisnamedFile>,
}

/// A file that is probably intended as a minds file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MisnamedFile {
    /// The location of the file.
    pub location: Location,
    /// The id of the member.
    pub member: String,
    /// The name that would make it a minds file.
    pub expected_name: String,
}

/// Returns the member and the correct name of a file that is probably intended as a minds file but is not one, because of
/// letter case, a typo, or a name that later programs use.
fn intended_name(path: &WorkspacePath) -> Option<(&str, String)> {
    let rest = path.as_str().strip_prefix(MINDS_FOLDER)?.strip_prefix('/')?;
    let (member, name) = rest.split_once('/')?;
    let (kind, tag) = name.strip_suffix(".md").map(|stem| stem.split_once('.').unwrap_or((stem, "")))?;
    if name.contains('/') || KINDS.contains(&kind) || !(tag.is_empty() || is_language_tag(tag)) {
        return None;
    }
    let lower = kind.to_ascii_lowercase();
    let known = || KINDS.into_iter().chain(LATER_KINDS.into_iter().map(|(later, _)| later));
    let near = known().find(|known| *known == lower).or_else(|| find_misspelled(kind, known()))?;
    let kind = LATER_KINDS.into_iter().find(|(later, _)| *later == near).map_or(near, |(_, kind)| kind);
    let dot = if tag.is_empty() { "" } else { "." };
    Some((member, format!("{kind}{dot}{tag}.md")))
}

impl<'p> MindFile<'p> {
    /// Parses the path of a minds file; `None` if it is not one.
    pub fn parse(path: &'p WorkspacePath) -> Option<Self> {
        let rest = path.as_str().strip_prefix(MINDS_FOLDER)?.strip_prefix('/')?;
        let (member, name) = rest.split_once('/')?;
        let stem = name.strip_suffix(".md")?;
        let (kind, language) = match stem.split_once('.') {
            Some((kind, language)) => (kind, Some(language)),
            None => (stem, None),
        };
        let is_one = KINDS.contains(&kind) && language.is_none_or(is_language_tag);
        is_one.then_some(Self { member, kind, language })
    }
}

/// Returns the minds file of each kind that a member receives, of all files at `paths`: in order of preference the one in
/// the given language, in a wider or narrower variant, without a language, in English, or in any other language.
pub fn choose_mind_files<'p>(
    paths: impl Iterator<Item = &'p WorkspacePath>,
    member: &str,
    language: Option<&str>,
) -> Vec<(MindFile<'p>, &'p WorkspacePath)> {
    let language = language.map(str::to_ascii_lowercase);
    let own = paths.filter_map(|path| Some((MindFile::parse(path)?, path)));
    let own: Vec<_> = own.filter(|(file, _)| file.member == member).collect();
    let of_kind = |kind: &&str| {
        let files = own.iter().filter(|(file, _)| file.kind == *kind);
        files
            .min_by_key(|(file, path)| (language_distance(file.language, language.as_deref()), path.as_str()))
            .copied()
    };
    KINDS.iter().filter_map(of_kind).collect()
}

/// Returns the distance of the language of a file from the wanted language, which must be lowercase.
fn language_distance(found: Option<&str>, wanted: Option<&str>) -> usize {
    const NARROWER: usize = 1_000;
    let Some(found) = found.map(str::to_ascii_lowercase) else { return 2 * NARROWER };
    let subtags = |tag: &str| tag.split('-').count();
    let is_wider = |wide: &str, narrow: &str| {
        narrow.strip_prefix(wide).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    match wanted {
        Some(wanted) if is_wider(&found, wanted) => subtags(wanted) - subtags(&found),
        Some(wanted) if is_wider(wanted.split('-').next().unwrap_or(wanted), &found) => NARROWER,
        _ if is_wider("en", &found) => 3 * NARROWER,
        _ => 4 * NARROWER,
    }
}

/// Returns the subtree in which minds files are read.
pub(crate) fn subtree_scope() -> Option<DirectoryScope> {
    Some(DirectoryScope {
        directory: Location::new(MountId::WORKSPACE, WorkspacePath::parse(MINDS_FOLDER).ok()?),
        depth: 2,
        wants: |path| MindFile::parse(path).is_some(),
        names: |path| intended_name(path).is_some(),
        max_entries: MAX_ENTRIES,
        max_bytes: MAX_MIND_BYTES as u64,
        max_total_bytes: MAX_BYTES,
    })
}

/// Loads the minds files of a snapshot and appends their sources to `sources`.
pub(crate) fn load(
    snapshot: &Snapshot,
    sources: &mut Vec<SourceFile>,
    problems: &mut Problems,
) -> MindFolders {
    let mut folders = MindFolders::default();
    for (location, entry) in snapshot.iter() {
        let Some(rest) = location.path.as_str().strip_prefix(MINDS_FOLDER) else { continue };
        if location.mount != MountId::WORKSPACE || !(rest.is_empty() || rest.starts_with('/')) {
            continue;
        }
        if let Some(file) = MindFile::parse(&location.path) {
            if let Some(folder) = location.path.parent() {
                let folder = Location::new(MountId::WORKSPACE, folder);
                folders.members.entry(file.member.to_owned()).or_insert(folder);
            }
            sources.extend(read_text(snapshot, location, problems));
        } else if matches!(entry, SnapshotEntry::Unread) {
            folders.misnamed.extend(intended_name(&location.path).map(|(member, expected_name)| {
                MisnamedFile { location: location.clone(), member: member.to_owned(), expected_name }
            }));
        } else if !matches!(entry, SnapshotEntry::Directory) {
            // A non-directory in the place of a directory is reported.
            let _ = snapshot.source(location, problems);
        }
    }
    folders
}

/// Returns the source of a minds file; reports it if it is not valid text.
fn read_text(snapshot: &Snapshot, location: &Location, problems: &mut Problems) -> Option<SourceFile> {
    let source = snapshot.source(location, problems)?;
    if source.bytes().len() > MAX_MIND_BYTES {
        problems.push(
            unreadable(&source, "it is larger than 1 MiB", Span::at(0), "")
                .note("a minds file is sent to the model as a whole")
                .help("shorten it, and refer to files with further details"),
        );
        return None;
    }
    if let Err(error) = source.text() {
        let start = error.valid_up_to();
        let byte = source.bytes().get(start).copied().unwrap_or_default();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span::new(offset(start), offset(start + error.error_len().unwrap_or(1)));
        let detail = format!("byte 0x{byte:02x} does not start a character");
        problems
            .push(unreadable(&source, "it is not valid UTF-8", span, &detail).help("save the file as UTF-8"));
        return None;
    }
    Some(source)
}

fn unreadable(source: &SourceFile, why: &str, span: Span, detail: &str) -> Diagnostic {
    Diagnostic::new(&rules::UNREADABLE, format!("`{}` cannot be read: {why}", source.name()))
        .primary(source.label(span).message(detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<(&str, &str, Option<&str>)>) {
        let path = WorkspacePath::parse(path).unwrap();
        let found = MindFile::parse(&path).map(|file| (file.member, file.kind, file.language));
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn a_member_receives_the_files_of_the_closest_language() {
        let check = |names: &[&str], language: Option<&str>, expected: &[&str]| {
            let path = |name: &&str| WorkspacePath::parse(&format!(".minds/team/{name}")).unwrap();
            let paths: Vec<WorkspacePath> = names.iter().map(path).collect();
            for paths in [paths.iter().collect::<Vec<_>>(), paths.iter().rev().collect()] {
                let chosen = choose_mind_files(paths.into_iter(), "ana", language);
                let chosen: Vec<&str> = chosen.iter().filter_map(|(_, path)| path.file_name()).collect();
                assert_eq!(chosen, expected, "{names:?} in {language:?}");
            }
        };
        let all = [
            "ana/persona.md",
            "ana/persona.zh.md",
            "ana/persona.zh-Hans.md",
            "ana/persona.en.md",
            "bo/lessons.md",
        ];
        check(&all, None, &["persona.md"]);
        check(&all, Some("zh"), &["persona.zh.md"]);
        check(&all, Some("ZH-hans-CN"), &["persona.zh-Hans.md"]);
        check(&all, Some("zh-Hant"), &["persona.zh.md"]);
        check(&all, Some("fr"), &["persona.md"]);
        check(&all, Some("en-GB"), &["persona.en.md"]);
        check(&["ana/persona.zh-CN.md", "ana/persona.md"], Some("zh"), &["persona.zh-CN.md"]);
        check(&["ana/persona.zh-CN.md", "ana/persona.md"], Some("zh-TW"), &["persona.zh-CN.md"]);
        check(&["ana/persona.zh.md", "ana/persona.en.md", "ana/persona.de.md"], None, &["persona.en.md"]);
        check(&["ana/persona.zh.md", "ana/persona.de.md"], Some("fr"), &["persona.de.md"]);
        check(
            &["ana/lessons.md", "ana/knowledge.zh.md", "ana/persona.md", "ana/notes.md", "ana/x/persona.md"],
            Some("zh"),
            &["persona.md", "knowledge.zh.md", "lessons.md"],
        );
        check(&["../ana/persona.md"][..0], None, &[]);
    }

    #[test]
    fn misnamed_minds_files_are_recognized() {
        for (name, kind) in [
            ("ana/knowhow.zh.md", Some("knowledge.zh.md")),
            ("ana/pitfalls.md", Some("lessons.md")),
            ("ana/pitfals.zh-Hans.md", Some("lessons.zh-Hans.md")),
            ("ana/Persona.md", Some("persona.md")),
            ("ana/personna.md", Some("persona.md")),
            ("ana/persona.md", None),
            ("ana/persona.draft.md", None),
            ("ana/notes.md", None),
            ("ana/knowhow.draft.md", None),
            ("ana/knowhow.txt", None),
            ("ana/old/knowhow.md", None),
            ("knowhow.md", None),
        ] {
            let path = WorkspacePath::parse(&format!("{MINDS_FOLDER}/{name}")).unwrap();
            let found = intended_name(&path);
            assert_eq!(found, kind.map(|kind| ("ana", kind.to_owned())), "{name}");
        }
    }

    #[test]
    fn minds_files_are_recognized_by_name() {
        check(".minds/team/ana/persona.md", Some(("ana", "persona", None)));
        check(".minds/team/ana/knowledge.zh.md", Some(("ana", "knowledge", Some("zh"))));
        check(".minds/team/ana/lessons.zh-Hant-TW.md", Some(("ana", "lessons", Some("zh-Hant-TW"))));
        check(".minds/team/ana.b/persona.md", Some(("ana.b", "persona", None)));
        for other in [
            ".minds/team/persona.md",
            ".minds/team/ana/notes.md",
            ".minds/team/ana/persona.txt",
            ".minds/team/ana/Persona.md",
            ".minds/team/ana/persona.draft.md",
            ".minds/team/ana/persona.z.md",
            ".minds/team/ana/persona.zh-.md",
            ".minds/team/ana/persona..md",
            ".minds/team/ana/old/persona.md",
            ".minds/teams/ana/persona.md",
            "team/ana/persona.md",
        ] {
            check(other, None);
        }
    }
}
