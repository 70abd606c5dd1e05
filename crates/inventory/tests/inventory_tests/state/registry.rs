//! The file of registered sources.

use minds_inventory::{Alias, HookRecord, Registry};
use minds_sources::{Hook, HookEvent, Identity, Pin, Prefix, Remote, RevisionName};
use minds_vfs::{ContentHash, WorkspacePath};
use proptest::prelude::*;

use crate::sample::{identity, path, registered_source};

fn sample() -> Registry {
    let mut linked = registered_source("local/work/agents");
    linked.remote = Remote::Folder("/home/u/work/agents".to_owned());
    (linked.commit, linked.tree) = (None, None);
    linked.description = Some("what it is for".to_owned());
    linked.alias = Alias::None;
    linked.roots = Some(vec![WorkspacePath::root(), path("packages/a")]);
    let mut nested = registered_source("github.com/owner/name");
    nested.pin = Pin::Tag(RevisionName::parse("v1").unwrap());
    nested.alias = Alias::Prefix(Prefix::parse("zz").unwrap().unwrap());
    nested.curator = Some(identity("local/work/agents"));
    nested.hooks = vec![Hook {
        run: "make".to_owned(),
        name: Some("build".to_owned()),
        is_optional: true,
        event: HookEvent::Install,
    }];
    nested.install_hooks =
        vec![HookRecord { command: "make".to_owned(), hash: ContentHash::of(b"x"), ran_at: None }];
    Registry { sources: vec![linked, nested] }
}

#[test]
fn the_file_looks_like_this() {
    insta::assert_snapshot!(sample().write());
}

#[test]
fn written_files_can_be_read() {
    for registry in [Registry::default(), sample()] {
        assert_eq!(Registry::parse(registry.write().as_bytes()), Ok(registry));
    }
}

#[test]
fn invalid_values_are_refused() {
    let text = sample().write();
    let cases = [
        ("\"version\": 1", "\"version\": 2"),
        ("\"version\": 1", "\"version\": \"1\""),
        ("\"version\": 1,", ""),
        ("\"sources\"", "\"more\": 1, \"sources\""),
        ("github.com/owner/name\"", "github.com/../name\""),
        ("github.com/owner/name\"", "local/work/agents\""),
        ("\"https://github.com", "\"--upload-pack=https://github.com"),
        ("\"https://github.com", "\"https://github.com\\u001b"),
        ("/home/u/work/agents\"", "/home/../agents\""),
        ("1234567890", "HEAD~00000"),
        ("\"zz\"", "\"../../zz\""),
        ("\"kind\": \"tag\"", "\"kind\": \"tags\""),
        ("\"v1\"", "\"--v1\""),
        ("packages/a", "../a"),
        ("sha256:", "md5:"),
        ("\"event\": \"install\"", "\"event\": \"never\""),
        ("\"optional\"", "\"optionally\""),
    ];
    for (old, new) in cases {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        assert!(Registry::parse(changed.as_bytes()).is_err(), "{new}");
    }
}

#[test]
fn an_error_names_the_file_and_the_line() {
    let error = Registry::parse(b"{\n  \"version\": 1,\n  \"sources\": [}\n").unwrap_err();
    assert_eq!(error.to_string(), "`sources.json` line 3: expected value");
    let error = Registry::parse(b"{\"version\": 7, \"later\": {}}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`sources.json`: it was written by a newer version of this program (version 7; the supported one is 1)"
    );
    let twice = sample().write().replace("github.com/owner/name", "local/work/agents");
    let error = Registry::parse(twice.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "`sources.json`: source `local/work/agents`: it is listed twice");
    assert!(Registry::parse(b"").is_err());
}

proptest! {
    /// Parsing never panics, and what was parsed is serialized identically.
    #[test]
    fn parsing_and_serializing_is_stable(
        names in prop::collection::btree_set("[a-z]{1,4}/[a-z]{1,4}/[a-z.]{1,6}", 0..4),
        alias in "[a-z]{0,3}",
        pin in 0..4,
        description in prop::option::of("\\PC{0,20}"),
    ) {
        let mut registry = Registry::default();
        for name in names.iter().filter(|name| Identity::parse(name).is_ok()) {
            let mut source = registered_source(name);
            source.alias = Prefix::parse(&alias).map(|prefix| prefix.map_or(Alias::None, Alias::Prefix)).unwrap_or_default();
            let revision = RevisionName::parse("main").unwrap();
            source.pin = match pin {
                0 => Pin::DefaultBranch,
                1 => Pin::FollowBranch(revision),
                2 => Pin::Tag(revision),
                _ => Pin::Ref(revision),
            };
            source.description.clone_from(&description);
            registry.sources.push(source);
        }
        let text = registry.write();
        let read = Registry::parse(text.as_bytes());
        prop_assert_eq!(read.as_ref().map(Registry::write), Ok(text));
        prop_assert_eq!(read, Ok(registry));
    }

    /// Invalid bytes are never parsed as an empty file.
    #[test]
    fn invalid_bytes_are_never_an_empty_file(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        prop_assert!(Registry::parse(&bytes).is_err());
    }
}
