//! Remote sources, which a program in place of git fetches from a local directory.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::sources::world::{Run, World, args};

/// Makes a program that has `https://h.example/` mean the folder `remote`, denies access to `closed` in it, and
/// otherwise behaves like git.
fn fake_git(world: &World) -> String {
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|program| program.is_file())
        .expect("there is git");
    let script = format!(
        "#!/bin/sh\nfor a; do shift; case \"$a\" in \
         https://h.example/closed/*) echo \"fatal: Authentication failed for '$a'\" >&2; exit 128;; \
         https://h.example/*) a=\"file://{}/remote/${{a#https://h.example/}}\";; esac; set -- \"$@\" \"$a\"; done\n\
         GIT_ALLOW_PROTOCOL=file exec {} -c protocol.file.allow=always \"$@\"\n",
        world.path().display(),
        real.display()
    );
    let program = world.write("bin/git", &script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    format!("{}:{path}", world.path().join("bin").display())
}

fn run(world: &World, path: &str, words: &[&str]) -> Run {
    let output = world.command(&args(&[words, &["--json"]].concat())).env("PATH", path).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let exit = output.status.code().unwrap();
    Run { exit, stdout: text(output.stdout), stderr: text(output.stderr), seconds: 0.0 }
}

fn skill(world: &World, folder: &str, name: &str) {
    world.write(&format!("{folder}/skills/{name}/SKILL.md"), "---\ndescription: d\n---\n");
    world.commit(folder);
}

#[test]
fn a_remote_source_adds_no_local_sources() {
    let world = World::new();
    let path = fake_git(&world);
    skill(&world, "home/precious", "mine");
    skill(&world, "remote/o/other", "other");
    let mine = world.home().join("precious").display().to_string();
    for (place, kind) in [
        (mine.clone(), "local-source"),
        (format!("file://{mine}"), "local-source"),
        ("~/precious".to_owned(), "local-source"),
        ("../precious".to_owned(), "invalid-spec"),
        ("https://h.example/o/other".to_owned(), ""),
    ] {
        world.write(
            "remote/o/r/mind.toml",
            &format!("[discover]\nsources = [{{ source = {place:?}, install = true }}]\n"),
        );
        skill(&world, "remote/o/r", "s");
        let done = run(&world, &path, &["meld", "https://h.example/o/r", "--yes"]);
        assert_eq!(done.kind(), kind, "{place}: {}", done.stdout);
        let linked = |name: &str| world.home().join(".claude/skills").join(name).exists();
        assert_eq!((linked("s"), linked("mine"), linked("other")), (true, false, kind.is_empty()), "{place}");
        assert_eq!(run(&world, &path, &["unmeld", "h.example/o/r", "--yes"]).exit, 0);
    }
}

#[test]
fn a_lock_of_another_machine_names_nothing_of_this_one() {
    let world = World::new();
    let path = fake_git(&world);
    skill(&world, "home/precious", "mine");
    skill(&world, "remote/o/other", "other");
    for (source, kind) in [("./home/precious", "local-source"), ("https://h.example/o/other", "")] {
        assert_eq!(run(&world, &path, &["meld", source, "--yes"]).exit, 0);
        let dumped = run(&world, &path, &["dump", "--output", "remote/o/dump", "--force"]);
        assert_eq!(dumped.exit, 0, "{}", dumped.stdout);
        let folder = world.path().join("here");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        for name in ["mind.toml", "mind.lock"] {
            fs::copy(world.path().join("remote/o/dump").join(name), folder.join(name)).unwrap();
        }
        world.commit("remote/o/dump");
        assert_eq!(run(&world, &path, &["unmeld", "*", "--yes"]).exit, 0);

        let done = run(&world, &path, &["meld", "--locked", "https://h.example/o/dump", "--yes"]);
        assert_eq!(done.kind(), kind, "{source}: {}", done.stdout);
        let name = if kind.is_empty() { "other" } else { "mine" };
        assert_eq!(world.home().join(".claude/skills").join(name).exists(), kind.is_empty(), "{source}");
        if kind.is_empty() {
            assert_eq!(run(&world, &path, &["unmeld", "*", "--yes"]).exit, 0);
        }
        // A lock file of this machine can contain them.
        let done = run(&world, &path, &["meld", "--locked", "./here", "--yes"]);
        assert_eq!(
            (done.exit, world.home().join(".claude/skills").join(name).exists()),
            (0, true),
            "{}",
            done.stdout
        );
        assert_eq!(run(&world, &path, &["unmeld", "*", "--yes"]).exit, 0);
    }
}

#[test]
fn an_inaccessible_source_is_skipped_if_it_is_optional() {
    let world = World::new();
    let path = fake_git(&world);
    world.skill("s");
    for (wish, kind) in [
        ("", "authentication"),
        (", on-auth-failure = { action = \"error\", message = \"ask Ann\" }", "authentication"),
        (", on-auth-failure = { action = \"skip\", message = \"ask Ann\" }", ""),
    ] {
        let source = "https://h.example/closed/r";
        world.write("src/mind.toml", &format!("[discover]\nsources = [{{ source = {source:?}{wish} }}]\n"));
        let done = run(&world, &path, &["meld", "./src", "--yes"]);
        assert_eq!((done.exit, done.kind().as_str()), (i32::from(!kind.is_empty()), kind), "{}", done.stdout);
        let skipped = serde_json::json!([{ "source": "h.example/closed/r", "reason": "auth_failure" }]);
        assert_eq!(done.json()["skipped"] == skipped, kind.is_empty(), "{}", done.stdout);
        let told = "h.example/closed/r could not be accessed: ask Ann";
        assert_eq!(done.json()["notes"].to_string().contains(told), !wish.is_empty(), "{}", done.stdout);
        assert!(world.home().join(".claude/skills/s").exists());
        assert_eq!(run(&world, &path, &["unmeld", "src", "--yes"]).exit, 0);
    }
}

#[test]
fn a_source_with_the_same_name_and_another_url_is_skipped() {
    let world = World::new();
    let path = fake_git(&world);
    world.skill("s");
    for place in ["one", "two"] {
        world.write(&format!("{place}/a/n/skills/{place}/SKILL.md"), "---\ndescription: d\n---\n");
    }
    assert_eq!(run(&world, &path, &["meld", "./one/a/n"]).exit, 0);
    let nested = "[discover]\nsources = [{ source = \"../two/a/n\", install = true }]\n";
    world.write("src/mind.toml", nested);
    let done = run(&world, &path, &["meld", "./src", "--yes"]);
    assert_eq!(done.exit, 0, "{}", done.stdout);
    let notes = done.json()["notes"].to_string();
    assert!(
        notes.contains("local/a/n is already registered from") && notes.contains("is skipped"),
        "{notes}"
    );
    let linked = |name: &str| world.home().join(".claude/skills").join(name).exists();
    assert_eq!((linked("s"), linked("one"), linked("two")), (true, false, false));
}
