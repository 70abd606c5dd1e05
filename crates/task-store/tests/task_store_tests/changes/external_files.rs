//! Files from a checkout, an editor or an attacker.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use minds_taskdoc::{Draft, Entry, Operation, Section};
use minds_vfs::ContentHash;

use crate::support::{CASES, World, change, package, set, verify};

fn draft(world: &World, section: &str, before: &str, after: &str) -> Draft {
    let root = world.open();
    let journal = package(&root).journal().unwrap();
    Draft {
        parents: journal.heads().0,
        time: "2026-01-01T00:00:00.000Z".to_owned(),
        actor: "lead".to_owned(),
        operation: Operation::Set,
        section: Section::parse_qualified(section).unwrap(),
        before: Some(ContentHash::of(before.as_bytes())),
        after: Some(ContentHash::of(after.as_bytes())),
        size: after.len() as u64,
        undoes: None,
        at: fs::metadata(world.at("journal.jsonl")).unwrap().len(),
    }
}

fn announce(world: &World, entries: &[Draft], before: &str) {
    let lines: String = entries.iter().map(|draft| Entry::new(draft.clone()).to_line() + "\n").collect();
    fs::write(world.at(".history/pending"), format!("{lines}\n{before}")).unwrap();
}

fn world() -> World {
    (CASES[0].world)()
}

/// The next change; returns how many lines the journal has besides its own.
#[track_caller]
fn next(world: &World, context: &str) -> usize {
    change(&package(&world.open()), "constraints", set("the next one")).unwrap();
    assert_eq!(world.left(), Vec::<String>::new(), "{context}");
    package(&world.open()).journal().unwrap().entries.len() - 1
}

#[test]
fn a_change_is_added_to_the_journal_by_the_next_one() {
    let world = world();
    fs::write(world.at("goals.md"), "made").unwrap();
    announce(&world, &[draft(&world, "goals", "the goals\n", "made")], "the goals\n");
    // A reader sees it too, and writes nothing.
    let before = world.seen();
    assert_eq!(verify(&package(&world.open()), "before"), 4);
    assert_eq!(world.seen(), before);
    assert_eq!(next(&world, "made"), 4);
    assert_eq!(verify(&package(&world.open()), "after"), 5);
}

#[test]
fn announcements_that_no_change_writes_are_discarded() {
    type Forge = fn(&mut Draft);
    const OLD: &str = "the goals\n";
    let forgeries: [(&str, Forge); 14] = [
        ("without an actor", |draft| draft.actor = String::new()),
        ("at no time", |draft| draft.time = "yesterday".to_owned()),
        ("with a timestamp that contains a letter", |draft| {
            draft.time = "2026-01-01T00:00:0x.000Z".to_owned();
        }),
        ("after a missing line", |draft| draft.parents = vec![ContentHash::of(b"x")]),
        ("without a parent", |draft| draft.parents.clear()),
        ("from a content that it did not have", |draft| draft.before = Some(ContentHash::of(b"x"))),
        ("from nothing", |draft| draft.before = None),
        ("to a content that it does not have", |draft| draft.after = Some(ContentHash::of(b"x"))),
        ("of another size", |draft| draft.size = 5),
        ("of too large a size", |draft| draft.size = u64::MAX),
        ("that removes what every task has", |draft| {
            (draft.operation, draft.after, draft.size) = (Operation::Remove, None, 0);
        }),
        ("that clears and does not", |draft| draft.operation = Operation::Clear),
        ("that undoes nothing", |draft| draft.operation = Operation::Undo),
        ("that sets and undoes", |draft| draft.undoes = Some(ContentHash::of(b"x"))),
    ];
    for (what, forge) in forgeries {
        let world = world();
        fs::write(world.at("goals.md"), "made").unwrap();
        let mut forged = draft(&world, "goals", OLD, "made");
        forge(&mut forged);
        announce(&world, &[forged], OLD);
        assert_eq!(next(&world, what), 3, "{what}");
        let root = world.open();
        assert_eq!(package(&root).journal().unwrap().problems, [], "{what}");
        // What the section holds was done outside then.
        change(&package(&root), "goals", set("again")).unwrap();
        assert_eq!(verify_outside(&world), 6, "{what}");
    }
}

/// Verifies a journal in which one content is of unknown origin.
fn verify_outside(world: &World) -> usize {
    let root = world.open();
    verify(&package(&root), "with a line about what was done outside")
}

#[test]
fn invalid_announcements_are_removed() {
    let lines = |text: &str| text.to_owned();
    let one = Entry::new(draft(&world(), "goals", "the goals\n", "made")).to_line();
    let texts = [
        lines(""),
        lines("\n"),
        lines("\n\n"),
        lines("no line\n\n"),
        one.clone(),
        format!("{one}\n"),
        format!("{one}\n\nanother content"),
        format!("{}\n\nthe goals\n", one.replace("\"lead\"", "\"other\"")),
        format!("{one}\n{one}\n\nthe goals\n"),
        "x".repeat(6 * 1024 * 1024),
    ];
    for text in texts {
        let world = world();
        fs::write(world.at("goals.md"), "made").unwrap();
        fs::write(world.at(".history/pending"), &text).unwrap();
        assert_eq!(next(&world, text.get(..200).unwrap_or(&text)), 3);
    }
}

#[test]
fn an_announcement_that_is_not_a_regular_file_is_removed_without_following_it() {
    let outside = |world: &World| {
        let outside = world.path().join("outside");
        fs::write(&outside, "foreign contents").unwrap();
        outside
    };
    let link: fn(&Path, &Path) = |outside, pending| symlink(outside, pending).unwrap();
    let second_name: fn(&Path, &Path) = |outside, pending| fs::hard_link(outside, pending).unwrap();
    let socket: fn(&Path, &Path) = |_, pending| drop(UnixListener::bind(pending).unwrap());
    for put in [link, second_name, socket] {
        let world = world();
        let outside = outside(&world);
        put(&outside, &world.at(".history/pending"));
        assert_eq!(next(&world, "a link"), 3);
        assert_eq!(fs::read_to_string(outside).unwrap(), "foreign contents");
    }
    // What cannot go keeps everybody from changing anything, and nothing else happens.
    let world = world();
    fs::create_dir(world.at(".history/pending")).unwrap();
    let before = world.tree();
    assert!(change(&package(&world.open()), "goals", set("other")).is_err());
    assert_eq!(world.tree(), before);
}

/// On file systems without atomic renames, a file briefly has two hard links.
#[test]
fn a_process_killed_between_two_renames_is_recovered() {
    let world = world().changed(&[("goals", set("second\n"))]);
    let root = world.open();
    let last = package(&root).journal().unwrap().entries.last().unwrap().id;
    let kept = world.at(&format!(".history/{}", last.to_string().replace(':', "-")));
    fs::hard_link(kept, world.at(".history/pending")).unwrap();
    assert_eq!(next(&world, "two names"), 4);
    assert_eq!(verify(&package(&root), "two names"), 5);
}

#[test]
fn an_announcement_for_a_path_that_is_not_a_file_is_discarded() {
    let world = world();
    announce(&world, &[draft(&world, "ux/old", "an old list\n", "made")], "an old list\n");
    fs::remove_file(world.at("ux/old.md")).unwrap();
    symlink("../goals.md", world.at("ux/old.md")).unwrap();
    assert_eq!(next(&world, "a link"), 3);
    assert_eq!(fs::read_to_string(world.at("goals.md")).unwrap(), "the goals\n");
}

#[test]
fn a_partial_journal_line_is_completed() {
    let made = || {
        let world = world();
        fs::write(world.at("goals.md"), "made").unwrap();
        let found = Draft {
            operation: Operation::Outside,
            actor: "unknown".to_owned(),
            ..draft(&world, "goals", "the goals\n", "by hand")
        };
        let first = Entry::new(found.clone());
        let change = Draft { parents: vec![first.id], at: 0, ..draft(&world, "goals", "by hand", "made") };
        announce(&world, &[found, change.clone()], "by hand");
        (world, format!("{}\n{}\n", first.to_line(), Entry::new(change).to_line()))
    };
    let length = made().1.len();
    for count in (0..=length).step_by(7).chain([length - 1, length]) {
        let (world, lines) = made();
        let journal = fs::read(world.at("journal.jsonl")).unwrap();
        fs::write(world.at("journal.jsonl"), [&journal, &lines.as_bytes()[..count]].concat()).unwrap();
        let context = format!("{count} of {length}");
        assert_eq!(verify(&package(&world.open()), &context), 5, "{context}");
        assert_eq!(next(&world, &context), 5, "{context}");
        let now = fs::read(world.at("journal.jsonl")).unwrap();
        assert!(now.starts_with(&[&journal, lines.as_bytes()].concat()), "{context}");
        assert_eq!(verify(&package(&world.open()), &context), 6, "{context}");
    }
}

#[test]
fn a_journal_without_its_last_line_break_gets_one() {
    let world = world();
    let journal = fs::read(world.at("journal.jsonl")).unwrap();
    fs::write(world.at("journal.jsonl"), &journal[..journal.len() - 1]).unwrap();
    assert_eq!(next(&world, "no line break"), 3);
    assert_eq!(verify(&package(&world.open()), "no line break"), 4);
    // A partial line that cannot be completed is kept and does not affect other lines.
    let journal = fs::read(world.at("journal.jsonl")).unwrap();
    fs::write(world.at("journal.jsonl"), [&journal[..], b"{\"id\":\"sha256:"].concat()).unwrap();
    change(&package(&world.open()), "goals", set("other")).unwrap();
    let root = world.open();
    let journal = package(&root).journal().unwrap();
    assert_eq!((journal.entries.len(), journal.problems.len()), (5, 1));
}

#[test]
fn a_lost_journal_gets_entries_for_all_sections() {
    for is_empty in [false, true] {
        let world = world();
        fs::remove_file(world.at("journal.jsonl")).unwrap();
        if is_empty {
            fs::write(world.at("journal.jsonl"), "").unwrap();
        }
        fs::create_dir_all(world.at("snapshots/deep")).unwrap();
        fs::write(world.at("snapshots/1.md"), "no section").unwrap();
        fs::write(world.at("snapshots/deep/a.md"), "no section").unwrap();
        fs::write(world.at("notes.md"), "no section").unwrap();
        symlink("goals.md", world.at("ux/link.md")).unwrap();
        change(&package(&world.open()), "goals", set("again\n")).unwrap();
        let root = world.open();
        let journal = package(&root).journal().unwrap();
        let lines: Vec<String> = journal
            .entries
            .iter()
            .map(|entry| format!("{} {} {}", entry.actor, entry.operation.as_str(), entry.section))
            .collect();
        let outside = ["bearinmind/risks", "ux/old", "goals"].map(|name| format!("unknown outside {name}"));
        assert_eq!(lines, [&outside[..], &["lead set goals".to_owned()]].concat());
        assert_eq!(verify(&package(&root), "lost"), 4);
        assert_eq!(journal.heads().0.len(), 1);
    }
}

#[test]
fn saved_contents_keep_restricted_permissions() {
    let world = world();
    let mode = |path: &str| fs::metadata(world.at(path)).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(world.at("goals.md"), fs::Permissions::from_mode(0o600)).unwrap();
    change(&package(&world.open()), "goals", set("other")).unwrap();
    assert_eq!(mode("goals.md"), 0o600);
    let root = world.open();
    let journal = package(&root).journal().unwrap();
    let id = journal.entries.last().unwrap().id.to_string().replace(':', "-");
    assert_eq!(mode(&format!(".history/{id}")), 0o600);
}

#[test]
fn two_roots_of_one_process_wait_for_each_other() {
    let world = World::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let world = &world;
            scope.spawn(move || {
                let root = world.open();
                for number in 0..40 {
                    change(&package(&root), "goals", set(&format!("{writer} {number}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(verify(&package(&world.open()), "four threads"), 160);
}
