//! Reports before and after an operation.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::sources::world::{World, args};

#[test]
fn remarks_about_contents_are_reported_with_and_without_a_terminal() {
    let world = World::new();
    world.skill("s");
    let program = world.write("src/skills/s/run.sh", "exit 0\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    world.write("src/skills/s/notes.md", "a\u{200b}b\n");
    let reports = |run: &[&str]| {
        let run = world.plain(&args(run));
        assert_eq!(run.exit, 0, "{}", run.stderr);
        let is_reported = |what: &str| run.stderr.contains(what);
        (is_reported("`skills/s/run.sh` is executable"), is_reported("invisible character: U+200B"))
    };
    assert_eq!(reports(&["meld", "./src"]), (false, false), "nothing is installed");
    assert_eq!(reports(&["learn", "skill:s"]), (true, true));
    assert_eq!(reports(&["unmeld", "src", "--yes"]), (false, false));
    assert_eq!(reports(&["meld", "./src", "--yes"]), (true, true));
}

#[test]
fn invalid_utf8_in_markdown_is_checked() {
    for byte in [&b"\0"[..], b"\xff"] {
        let world = World::new();
        world.skill("s");
        let hidden = "---\nname: s\ndescription: d\n---\nA\u{202e}B ".as_bytes();
        fs::write(world.src().join("skills/s/SKILL.md"), [hidden, byte].concat()).unwrap();
        let run = world.minds(&args(&["meld", "./src", "--yes"]));
        assert_eq!((run.exit, run.kind().as_str()), (1, "bad-content"), "{byte:?}: {}", run.stdout);
        assert!(!world.home().join(".claude").exists(), "{byte:?}");
    }
}

#[test]
fn an_invalid_hash_is_refused_and_an_unused_one_is_reported() {
    let world = World::new();
    world.skill("s");
    world.write("src/mind.toml", "[[hooks]]\nrun = \"touch $HOME/ran\"\n");
    for none in ["x", "sha256:ab", "sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
    {
        let run = world.minds(&args(&["meld", "./src", "--accept-hooks", none]));
        assert_eq!((run.exit, run.kind().as_str()), (2, "usage"), "{none}: {}", run.stdout);
    }
    let other = format!("sha256:{}", "0".repeat(64));
    let run = world.minds(&args(&["meld", "./src", "--yes", "--accept-hooks", &other]));
    let warnings = run.json()["plan"]["warnings"].to_string();
    assert!(run.exit == 0 && warnings.contains("does not match any hook that would run"), "{}", run.stdout);
    assert!(!world.home().join("ran").exists());
    assert_eq!(world.minds(&args(&["unmeld", "src", "--yes"])).exit, 0);

    let plan = world.minds(&args(&["meld", "./src", "--dry-run"]));
    let hash = plan.json()["plan"]["hooks"][0]["hash"].as_str().unwrap().to_owned();
    let digits = hash.strip_prefix("sha256:").unwrap();
    // A prefix of a hash is not valid either.
    let beginning: String = digits.chars().take(63).collect();
    let run = world.minds(&args(&["meld", "./src", "--yes", "--accept-hooks", &beginning]));
    assert_eq!((run.exit, world.home().join("ran").exists()), (2, false), "{}", run.stdout);
    let run = world.minds(&args(&["meld", "./src", "--yes", "--accept-hooks", digits]));
    assert_eq!((run.exit, world.home().join("ran").exists()), (0, true), "{}", run.stdout);
    assert_eq!(run.json()["plan"]["warnings"], serde_json::json!([]));
}

#[test]
fn missing_files_are_restored_on_request() {
    let world = World::new();
    world.skill("s");
    assert_eq!(world.minds(&args(&["meld", "./src", "--yes"])).exit, 0);
    assert_eq!(world.minds(&args(&["introspect", "--fix"])).json()["outcome"], "no-op");
    let stored = world.home().join(".minds-home/store/skill/s");
    fs::remove_dir_all(&stored).unwrap();
    let run = world.minds(&args(&["introspect", "--fix", "--dry-run"]));
    assert_eq!((run.exit, stored.exists()), (0, false), "{}", run.stdout);
    let run = world.minds(&args(&["introspect", "--fix"]));
    assert_eq!((run.exit, stored.exists()), (0, true), "{}", run.stdout);
    // Edited files are not missing.
    fs::write(stored.join("SKILL.md"), "my own words\n").unwrap();
    let run = world.minds(&args(&["introspect", "--fix", "--yes"]));
    assert_eq!(fs::read_to_string(stored.join("SKILL.md")).unwrap(), "my own words\n", "{}", run.stdout);
}

#[test]
fn an_error_names_its_subject_once() {
    let world = World::new();
    world.skill("s");
    std::os::unix::fs::symlink("/etc/passwd", world.src().join("skills/s/link")).unwrap();
    let run = world.minds(&args(&["meld", "./src", "--yes"]));
    let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        message,
        "skill:s: `skills/s/link` is a symbolic link to `/etc/passwd`, which is not a file of the same item"
    );
}

#[test]
fn a_missing_directory_is_reported_as_it_was_spelled() {
    let world = World::new();
    for verb in ["review", "init-source"] {
        let run = world.minds(&args(&[verb, "./nowhere"]));
        assert_eq!((run.exit, run.kind().as_str()), (1, "not-found"), "{}", run.stdout);
        let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
        assert_eq!(message, "the folder `./nowhere` does not exist");
    }
}
