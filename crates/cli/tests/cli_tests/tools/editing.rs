//! Planned changes, and their application.

use super::{Place, TEAM};

#[test]
fn apply_makes_exactly_the_previewed_change() {
    let place = Place::new(TEAM);
    place.write("notes.md", "one\ntwo\nthree\n");
    let previews: &[(&[&str], &str)] = &[
        (&["range", "notes.md", "2", "zwei\n"], "one\nzwei\nthree\n"),
        (&["append", "notes.md", "- four\n"], "one\nzwei\nthree\n- four\n"),
        (&["after", "notes.md", "one", "one and a half\n"], "one\none and a half\nzwei\nthree\n- four\n"),
        (
            &["before", "notes.md", "- four", "--match", "equals", "...\n"],
            "one\none and a half\nzwei\nthree\n...\n- four\n",
        ),
        (&["block", "notes.md", "half", "three", "2\n"], "one\none and a half\n2\nthree\n...\n- four\n"),
        (&["range", "notes.md", "1~2"], "2\nthree\n...\n- four\n"),
    ];
    for (preview, expected) in previews {
        let before = place.read("notes.md");
        let (code, out, err) = place.minds(&[&["files", "preview"], *preview].concat());
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("\n@@ ") && !out.contains('\u{1b}'), "{out}");
        assert_eq!(place.read("notes.md"), before);
        let apply: Vec<&str> = out.lines().last().unwrap().split(' ').collect();
        assert_eq!((apply[0], apply[1], apply[2], apply.len()), ("minds", "files", "apply", 4));
        assert_eq!(place.minds(&apply[1..]).0, 0);
        assert_eq!(place.read("notes.md"), *expected);
        let (code, _, err) = place.minds(&apply[1..]);
        assert_eq!(code, 2);
        assert!(err.starts_with("error[HUNK_NOT_FOUND]: "), "{err}");
    }
}

#[test]
fn a_planned_change_of_either_area_is_found_by_its_id() {
    let place = Place::new(TEAM);
    for (path, member) in [(".minds/team.yaml", "fuxi"), ("src/a", "coder")] {
        let (code, out, err) = place
            .minds(&["files", "preview", "append", path, "# more\n", "--as", member, "--color", "always"]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("\u{1b}[32m+# more\u{1b}[0m\n"), "{out}");
        let line = out.lines().last().unwrap();
        assert!(line.ends_with(&format!(" --as {member}")), "{line}");
        let apply: Vec<&str> = line.split(' ').collect();
        let (code, _, err) = place.minds(&apply[1..4]);
        assert_eq!(code, 1, "the operator did not plan it");
        assert!(err.starts_with("error[WRONG_OWNER]: "), "{err}");
        assert_eq!(place.minds(&apply[1..]).0, 0);
        assert!(place.read(path).ends_with("# more\n"));
    }
}
