//! Names of sources and agent homes on the command line.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::sources::world::{World, args};

/// A directory with the name of a repository on GitHub.
fn with_folder() -> World {
    let world = World::new();
    world.write("acme/agents/rules/r.md", "---\ndescription: x\n---\n");
    world
}

fn sources(world: &World) -> Vec<String> {
    let sources = world.minds(&args(&["recall", "--sources"])).sources();
    sources.as_array().unwrap().iter().map(|source| source["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_name_of_a_folder_and_a_repository_is_refused_with_both_spellings() {
    let world = with_folder();
    for more in [&[][..], &["--yes"], &["--dry-run"], &["--locked", "--yes"]] {
        let before = world.outside();
        let run = world.minds(&args(&[&["meld", "acme/agents"], more].concat()));
        assert_eq!((run.exit, run.kind().as_str()), (1, "ambiguous"), "{more:?}: {}", run.stdout);
        for spelling in ["`./acme/agents`", "`github:acme/agents`"] {
            assert!(run.stdout.contains(spelling), "{more:?}: {}", run.stdout);
        }
        assert_eq!(world.outside(), before, "{more:?}");
        assert_eq!(sources(&world), Vec::<String>::new(), "{more:?}");
    }
    assert_eq!(world.minds(&args(&["meld", "./acme/agents", "--link-only"])).exit, 0);
    assert!(sources(&world)[0].ends_with("/acme/agents") || sources(&world)[0] == "local/acme/agents");
}

#[test]
fn an_ambiguous_source_is_selected_on_a_terminal() {
    for (keys, registered) in [("1\n", 1), ("\n", 0), ("yes\n", 0)] {
        let world = with_folder();
        let mut terminal = world.terminal(&["meld", "acme/agents", "--link-only", "--yes"]);
        terminal.until("type 1 for `./acme/agents`, 2 for `github:acme/agents`:");
        terminal.types(keys);
        let end = terminal.end();
        assert_eq!((end.exit, end.signal), (Some(0), None), "{keys:?}: {}", end.transcript);
        assert_eq!(sources(&world).len(), registered, "{keys:?}: {}", end.transcript);
        assert_eq!(
            end.transcript.contains("cancelled; nothing was changed"),
            registered == 0,
            "{}",
            end.transcript
        );
    }
}

#[test]
fn without_a_name_and_a_terminal_nothing_is_added() {
    let world = World::new();
    world.write("rules/r.md", "---\ndescription: x\n---\n");
    let before = world.outside();
    for words in [&["meld"][..], &["meld", "--link-only"], &["source", "meld"]] {
        let run = world.minds(&args(words));
        assert_eq!((run.exit, run.kind().as_str()), (1, "consent-required"), "{words:?}: {}", run.stdout);
        assert!(
            run.stdout.contains("`minds source add .`") && run.stdout.contains("the current folder `"),
            "{}",
            run.stdout
        );
        assert_eq!(world.outside(), before, "{words:?}");
    }
    assert_eq!(sources(&world), Vec::<String>::new());
    assert_eq!(world.minds(&args(&["meld", "."])).exit, 0);
    assert_eq!(sources(&world).len(), 1);
}

#[test]
fn an_invalid_agent_home_is_refused_and_nothing_is_written() {
    let world = World::new();
    let file = world.write("file", "x");
    symlink("nowhere", world.path().join("link")).unwrap();
    let (file, below) = (file.to_str().unwrap().to_owned(), format!("{}/x/y", file.display()));
    let before = world.outside();
    let listed = world.minds(&args(&["config", "lobes", "list"])).json();
    for place in [&file, &below, "./link", "link/x", "/", "https://example.org/x", "a:b", "", "../x"] {
        let run = world.minds(&args(&["config", "lobes", "add", place]));
        assert_eq!((run.exit, run.kind().as_str()), (1, "invalid-home"), "{place}: {}", run.stdout);
        assert_eq!(world.outside(), before, "{place}");
    }
    assert_eq!(world.minds(&args(&["config", "lobes", "list"])).json(), listed);
    // A directory, and what can become one.
    for place in ["acme", "new/home", "~/.codex"] {
        let run = world.minds(&args(&["config", "lobes", "add", place]));
        assert_eq!((run.exit, run.json()["outcome"].clone()), (0, json!("added")), "{place}: {}", run.stdout);
    }
}

#[test]
fn an_unknown_kind_of_an_item_is_named() {
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[[items]]\nkind = \"skil\"\nname = \"s\"\npath = \"skills/s\"\n");
    let run = world.minds(&args(&["meld", "./src", "--yes"]));
    assert_eq!((run.exit, run.kind().as_str()), (1, "invalid-manifest"), "{}", run.stdout);
    let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("mind.toml:2:8: `kind` must be one of `skill`, "), "{message}");
    assert!(message.contains("not `skil`"), "{message}");
}
