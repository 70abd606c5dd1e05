//! Exports of the registered sources.

use std::collections::BTreeMap;

use minds_inventory::{Alias, DUMP_DESCRIPTION, InstallRequest, SourceState, dump, lock};
use minds_sources::{Hook, HookEvent, Pin, Prefix, Remote};

use crate::sample::{Sample, identity, key, path, registered_source, source};

fn sample() -> Sample {
    let mut sample = Sample::new(vec![
        source("local/case/repo", "zz", &[("skill:x", "x"), ("agent:y", "y")]),
        source("local/case/n1", "", &[("skill:ns", "NS"), ("agent:na", "NA")]),
        source("local/case/empty", "", &[]),
    ]);
    sample.registry.sources[0].alias = Alias::Prefix(Prefix::parse("zz").unwrap().unwrap());
    let context = sample.context();
    let complete = InstallRequest::all_of_source(&context, &identity("local/case/n1"), false);
    let (some, missing) =
        InstallRequest::subset(&context, &identity("local/case/repo"), &[key("skill:x")], false);
    assert!(missing.is_empty());
    for request in [complete, some] {
        let plan = sample.plan(&request);
        sample.apply(&plan);
    }
    sample
}

#[test]
fn a_dump_looks_like_this() {
    let mut sample = sample();
    let first = &mut sample.registry.sources[0];
    first.roots = Some(vec![path("packages")]);
    first.hooks = vec![Hook {
        run: "make \"all\"".to_owned(),
        name: None,
        is_optional: true,
        event: HookEvent::Install,
    }];
    insta::assert_snapshot!(dump(&sample.context(), &BTreeMap::new(), false).manifest);
}

#[test]
fn every_offered_item_can_be_dumped() {
    let sample = sample();
    let complete = dump(&sample.context(), &BTreeMap::new(), true);
    assert_eq!(complete.manifest.matches("install = true").count(), 2);
    assert_eq!(complete.lock.sources.iter().map(|source| source.items.len()).collect::<Vec<_>>(), [2, 2, 0]);
    let some = dump(&sample.context(), &BTreeMap::new(), false);
    assert!(some.manifest.contains("install-items = [\"skill:x\"]"));
    assert_eq!(some.lock.sources.iter().map(|source| source.items.len()).collect::<Vec<_>>(), [1, 2, 0]);
    assert_eq!(
        some.lock.sources.iter().map(|source| source.is_whole).collect::<Vec<_>>(),
        [false, true, false]
    );
}

#[test]
fn the_installed_items_of_an_unreadable_source_are_dumped() {
    let mut sample = sample();
    sample.offer(Vec::new());
    for is_whole in [false, true] {
        let text = dump(&sample.context(), &BTreeMap::new(), is_whole).manifest;
        assert!(text.contains("install-items = [\"agent:na\", \"skill:ns\"]"), "{text}");
    }
}

#[test]
fn a_dump_without_sources_has_an_empty_list() {
    let sample = Sample::new(Vec::new());
    let text = dump(&sample.context(), &BTreeMap::new(), false).manifest;
    assert_eq!(text, format!("[source]\ndescription = \"{DUMP_DESCRIPTION}\"\n\n[discover]\nsources = []\n"));
}

#[test]
fn a_source_that_is_a_dump_is_not_dumped() {
    let mut sample = sample();
    let before = dump(&sample.context(), &BTreeMap::new(), false);
    let mut own = registered_source("local/u/my-dump");
    own.description = Some(DUMP_DESCRIPTION.to_owned());
    sample.registry.sources.insert(0, own);
    assert_eq!(dump(&sample.context(), &BTreeMap::new(), false), before);
    // A dump that also offers items is treated like any other source.
    let mut sources = sample.inventory.sources().to_vec();
    sources.push(source("local/u/my-dump", "", &[("rule:more", "")]));
    sample.offer(sources);
    assert_ne!(dump(&sample.context(), &BTreeMap::new(), false).manifest, before.manifest);
}

#[test]
fn differences_from_the_dump_are_warnings() {
    let mut sample = sample();
    let linked = &mut sample.registry.sources[1];
    linked.remote = Remote::Folder("/home/u/n1".to_owned());
    linked.commit = None;
    let state = |has_manifest, is_dirty| SourceState { has_manifest, is_dirty };
    let states = BTreeMap::from([
        (identity("local/case/repo"), state(true, false)),
        (identity("local/case/n1"), state(false, true)),
    ]);
    insta::assert_snapshot!(dump(&sample.context(), &states, false).warnings.join("\n"));
}

#[test]
fn a_folder_is_locked_to_its_commit() {
    let mut sample = sample();
    sample.registry.sources[1].remote = Remote::Folder("/home/u/n1".to_owned());
    let lock = lock(&sample.context(), false);
    assert!(
        matches!(&lock.sources[1].pin, Pin::Ref(commit) if Some(commit.as_str()) == lock.sources[1].commit.as_deref())
    );
    assert_eq!(lock.sources[0].pin, Pin::DefaultBranch);
}
