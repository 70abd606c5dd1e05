//! Attacks on a process that fetches and reads a repository, each next to the same scenario without the
//! attack.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use minds_git::{FetchLimits, GitErrorKind, MAX_ENTRIES, RemoteError, RemoteUrl, Revision, Tree};
use minds_vfs::SnapshotEntry;

use crate::origin::{Origin, git};
use crate::reading::{all_below, at, list_entries};

/// Returns a program that creates a marker file, and the path of that file.
fn marker(origin: &Origin) -> (String, PathBuf) {
    let mark = origin.folder.path().join("mark");
    (format!("touch {}", mark.display()), mark)
}

#[test]
fn a_revision_is_never_an_option() {
    let origin = Origin::with(&[("a", "1")]);
    let (touch, mark) = marker(&origin);
    let option = format!("--upload-pack={touch};git-upload-pack");
    let revisions = [Revision::Branch(option.clone()), Revision::Tag(option.clone()), Revision::Name(option)];
    for revision in revisions {
        let error = origin.fetch(revision.clone(), "x").unwrap_err();
        assert_eq!(error.kind().name(), "invalid-revision", "{revision:?}");
        assert!(git().remote_commit(&origin.url(), &revision, FetchLimits::default().time).is_err());
    }
    assert!(!mark.exists() && !origin.folder.path().join("x").exists());
    assert!(origin.fetch(Revision::Branch("main".to_owned()), "x").is_ok());
}

#[test]
fn an_address_is_never_an_option_or_a_program() {
    let origin = Origin::with(&[("a", "1")]);
    let (touch, mark) = marker(&origin);
    let cases = [
        (format!("--upload-pack={touch}"), RemoteError::Option),
        (format!("ext::sh -c {}", touch.replace(' ', "% ")), RemoteError::Protocol),
        ("ssh://-oProxyCommand=touch/x".to_owned(), RemoteError::Option),
        ("http://example.org/o/r".to_owned(), RemoteError::Protocol),
        ("https://user:s3cret@example.org/o/r".to_owned(), RemoteError::Credentials),
    ];
    for (text, expected) in cases {
        assert_eq!(RemoteUrl::parse(&text), Err(expected), "{text}");
        assert!(!expected.to_string().contains("s3cret"));
    }
    assert!(!mark.exists());
    let url = format!("file://{}", origin.path().display());
    assert_eq!(RemoteUrl::parse(&url).unwrap(), origin.url());
}

#[test]
fn a_local_repository_shares_no_files_and_runs_no_program() {
    let origin = Origin::with(&[("a", "1")]);
    let (touch, mark) = marker(&origin);
    for (key, value) in [
        ("uploadpack.packObjectsHook", touch.as_str()),
        ("core.fsmonitor", touch.as_str()),
        ("core.sshCommand", touch.as_str()),
        ("core.hooksPath", "hooks"),
        ("core.pager", touch.as_str()),
        ("alias.rev-parse", &format!("!{touch}")),
        ("filter.x.clean", touch.as_str()),
        ("filter.x.smudge", touch.as_str()),
    ] {
        origin.git(&["config", key, value]);
    }
    fs::write(origin.path().join(".gitattributes"), "* filter=x\n").unwrap();
    assert!(git().head(&origin.path()).is_some());
    assert!(origin.tree().is_ok());
    assert!(!mark.exists());
    let packs = origin.folder.path().join("tree.git/objects/pack");
    let links: Vec<u64> =
        fs::read_dir(packs).unwrap().map(|entry| entry.unwrap().metadata().unwrap().nlink()).collect();
    assert!(!links.is_empty() && links.iter().all(|links| *links == 1), "{links:?}");
}

#[test]
fn a_link_is_never_followed_outside() {
    let origin = Origin::new();
    let target = origin.blob("/etc/passwd");
    let text = origin.blob("# text\n");
    let check = |mode: &str, id: &str, expected: &str| {
        origin.commit_raw(&[(mode, b"SKILL.md", id)]);
        let name = format!("{mode}.git");
        let commit = origin.fetch(Revision::Default, &name).unwrap();
        let mount = minds_vfs::MountId::WORKSPACE;
        let tree = git().tree(&origin.folder.path().join(&name), &commit, mount).unwrap();
        assert_eq!(list_entries(&tree.snapshot(&all_below("")).unwrap()), [expected]);
        tree.snapshot(&minds_vfs::Scope::of_files([at("SKILL.md")])).unwrap()
    };
    let single = check("120000", &target, "SKILL.md: link \"/etc/passwd\"");
    assert_eq!(
        list_entries(&single),
        ["SKILL.md: unreadable: it is a symbolic link that leads outside of the workspace"]
    );
    check("100644", &text, "SKILL.md: file \"# text\\n\"");
}

#[test]
fn a_submodule_is_not_fetched_and_not_read() {
    let origin = Origin::with(&[("skills/a/SKILL.md", "x")]);
    let inner = Origin::with(&[("secret", "x")]);
    origin.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},skills/sub", inner.head())]);
    let modules = format!("[submodule \"s\"]\n\tpath = skills/sub\n\turl = {}\n", inner.path().display());
    fs::write(origin.path().join(".gitmodules"), modules).unwrap();
    origin.git(&["add", ".gitmodules"]);
    origin.git(&["commit", "--quiet", "--message=x"]);
    let tree = origin.tree().unwrap();
    let found = list_entries(&tree.snapshot(&all_below("skills")).unwrap());
    let expected = [
        "skills/a: Directory",
        "skills/a/SKILL.md: file \"x\"",
        "skills/sub: unreadable: it is another repository (a submodule), which is not fetched",
    ];
    assert_eq!(found, expected);
    assert!(!origin.folder.path().join("tree.git/modules").exists());
}

/// Reads a commit with entries of any names, without fetching it, because git would refuse it.
fn raw(names: &[&[u8]]) -> (Origin, Vec<String>) {
    let origin = Origin::new();
    let id = origin.blob("x");
    let entries: Vec<(&str, &[u8], &str)> = names.iter().map(|name| ("100644", *name, id.as_str())).collect();
    origin.commit_raw(&entries);
    let found = list_entries(&origin.own_tree().unwrap().snapshot(&all_below("")).unwrap());
    (origin, found)
}

#[test]
fn names_reserved_by_git_are_refused_in_any_spelling() {
    for name in [".git", ".GIT", ".Git ", "git~1", ".g\u{200c}it", ".git."] {
        let (origin, found) = raw(&[name.as_bytes()]);
        assert!(found[0].contains("reserved by git"), "{found:?}");
        // Git itself refuses most of them before anything is fetched.
        match origin.tree() {
            Err(error) => assert_eq!(*error.kind(), GitErrorKind::Malformed, "{name}: {error}"),
            Ok(tree) => {
                let found = list_entries(&tree.snapshot(&all_below("")).unwrap());
                assert!(found[0].contains("reserved by git"), "{found:?}");
            }
        }
    }
    let (origin, found) = raw(&[b".gitignore", b"git"]);
    assert_eq!(found, [".gitignore: file \"x\"", "git: file \"x\""]);
    assert!(origin.tree().is_ok());
}

#[test]
fn names_that_escape_are_refused() {
    for name in [&b".."[..], b".", b"../x", b"/etc/x", b"a/../../x"] {
        let (origin, found) = raw(&[name]);
        let is_refused = |line: &String| {
            line.contains("unreadable: its name is not a valid path") || line.ends_with(": Directory")
        };
        assert!(found.iter().all(is_refused), "{found:?}");
        assert_eq!(*origin.tree().unwrap_err().kind(), GitErrorKind::Malformed, "{name:?}");
    }
    assert!(raw(&[b"..x"]).0.tree().is_ok());
}

#[test]
fn names_with_invisible_characters_are_refused_and_sanitized() {
    for name in [&b"a\x1b[2Jb"[..], b"a\nb", "a\u{202e}b".as_bytes(), b"a\\b", b"a\xffb"] {
        let (origin, found) = raw(&[name]);
        assert!(found[0].contains("unreadable"), "{found:?}");
        assert!(!found[0].contains(['\u{1b}', '\n', '\u{202e}']), "{found:?}");
        assert_eq!(list_entries(&origin.tree().unwrap().snapshot(&all_below("")).unwrap()), found);
    }
    assert_eq!(raw(&["a \u{e4} b".as_bytes()]).1, ["a \u{e4} b: file \"x\""]);
}

#[test]
fn names_that_some_system_confuses_are_refused_together() {
    let (_, found) = raw(&[b"SKILL.md", b"Skill.md", b"other"]);
    let refused = |name: &str| {
        format!("{name}: unreadable: its name is ambiguous with that of a sibling on some systems")
    };
    assert_eq!(found, [refused("SKILL.md"), refused("Skill.md"), "other: file \"x\"".to_owned()]);
    let (_, found) = raw(&[b"x", b"x"]);
    assert_eq!(found, [refused("x")]);
    assert_eq!(raw(&[b"x", b"y"]).1, ["x: file \"x\"", "y: file \"x\""]);
    for name in ["CON", "a:b", "a ", "nul.md", "a*"] {
        let (_, found) = raw(&[name.as_bytes()]);
        assert!(found[0].contains("cannot be used on every system"), "{found:?}");
    }
}

#[test]
fn a_commit_with_too_many_files_is_refused() {
    let origin = Origin::new();
    let id = origin.blob("x");
    let names: Vec<String> = (0..=MAX_ENTRIES).map(|number| format!("{number:06}")).collect();
    let tree = |names: &[String]| -> Result<Tree, _> {
        let entries: Vec<(&str, &[u8], &str)> =
            names.iter().map(|name| ("100644", name.as_bytes(), id.as_str())).collect();
        origin.commit_raw(&entries);
        origin.own_tree()
    };
    assert_eq!(tree(&names).unwrap_err().kind().name(), "too-large");
    assert_eq!(tree(&names[1..]).unwrap().len(), MAX_ENTRIES);
}

#[test]
fn a_fetch_over_the_size_limit_is_stopped() {
    let origin = Origin::new();
    // Text that cannot be compressed.
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'!' + u8::try_from(seed >> 33 & 63).unwrap())
    };
    let text: String = (0..3 << 20).map(|_| next()).collect();
    origin.commit(&[("big", &text)]);
    let fetch = |max_bytes, name| {
        let limits = FetchLimits { max_bytes, ..FetchLimits::default() };
        git().fetch(&origin.request(Revision::Default, name), limits, &mut |_| {})
    };
    assert_eq!(*fetch(1 << 20, "x").unwrap_err().kind(), GitErrorKind::TooLarge("1 MiB".to_owned()));
    assert!(fetch(4 << 20, "y").is_ok());
}

#[test]
fn a_file_that_decompresses_to_a_large_size_is_not_read() {
    let origin = Origin::with(&[("bomb", &"x".repeat(20 << 20)), ("small", "x")]);
    let snapshot = origin.tree().unwrap().snapshot(&all_below("")).unwrap();
    assert_eq!(snapshot.get(&at("bomb")), Some(&SnapshotEntry::TooLarge { limit: 1 << 20 }));
    assert!(snapshot.get(&at("small")).unwrap().bytes().is_ok());
    let single = origin.own_tree().unwrap().snapshot(&minds_vfs::Scope::of_files([at("bomb")])).unwrap();
    assert!(matches!(single.get(&at("bomb")), Some(SnapshotEntry::TooLarge { .. })));
}

#[test]
fn attributes_of_a_repository_have_no_effect() {
    let attributes = "* text eol=crlf ident export-subst filter=x\nsecret export-ignore\n";
    let origin = Origin::with(&[("a", "$Id$ $Format:%H$\n"), ("secret", "s\n")]);
    let plain = list_entries(&origin.tree().unwrap().snapshot(&all_below("")).unwrap());
    fs::remove_dir_all(origin.folder.path().join("tree.git")).unwrap();
    origin.commit(&[(".gitattributes", attributes)]);
    let found = list_entries(&origin.tree().unwrap().snapshot(&all_below("")).unwrap());
    assert_eq!(found[1..], plain);
}
