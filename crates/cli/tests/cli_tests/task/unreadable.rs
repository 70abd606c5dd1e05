//! Packages with unreadable parts: everything else is shown.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::task::Place;

/// Damages a package.
type Damage = fn(&Path);

fn remove(path: &Path) {
    if path.is_dir() {
        fs::remove_dir_all(path).unwrap();
    } else {
        let _ = fs::remove_file(path);
    }
}

/// The missing part, the code of the problem, and the damage.
const DAMAGES: &[(&str, &str, Damage)] = &[
    ("bearinmind/", "NOT_A_FILE", |package| {
        remove(&package.join("bearinmind"));
        fs::write(package.join("bearinmind"), "x").unwrap();
    }),
    ("bearinmind/", "NOT_A_FILE", |package| {
        remove(&package.join("bearinmind"));
        std::os::unix::fs::symlink("ux", package.join("bearinmind")).unwrap();
    }),
    ("progress.md", "NOT_A_FILE", |package| {
        remove(&package.join("progress.md"));
        std::os::unix::fs::symlink("goals.md", package.join("progress.md")).unwrap();
    }),
    ("constraints.md", "NOT_A_FILE", |package| {
        remove(&package.join("constraints.md"));
        fs::create_dir(package.join("constraints.md")).unwrap();
    }),
    ("goals.md", "NOT_A_FILE", |package| {
        fs::hard_link(package.join("goals.md"), package.join("../other-name.md")).unwrap();
    }),
    ("goals.md", "INVALID_UTF8", |package| fs::write(package.join("goals.md"), b"caf\xe9").unwrap()),
    ("bearinmind/risks.md", "INVALID_UTF8", |package| {
        fs::write(package.join("bearinmind/risks.md"), b"\xff").unwrap();
    }),
    ("constraints.md", "TOO_LARGE", |package| {
        fs::write(package.join("constraints.md"), vec![b'x'; 4 * 1024 * 1024 + 1]).unwrap();
    }),
];

fn place() -> Place {
    let place = Place::new();
    for (section, category) in [("goals", ""), ("constraints", ""), ("progress", ""), ("risks", "bearinmind")]
    {
        let text = format!("text of {section}\n");
        let args = ["set", section, "--from", "-", "--category", category];
        assert_eq!(place.run_with_input(&args, text.as_bytes()).0, 0);
    }
    assert_eq!(place.run_with_input(&["set", "a", "--category", "ux", "--from", "-"], b"extra\n").0, 0);
    place
}

#[test]
fn one_unreadable_file_does_not_hide_other_files() {
    for (missing, code, damage) in DAMAGES {
        let place = place();
        damage(&place.path(""));
        for (lang, marker) in [
            ("en", format!("[The text of `{missing}` is missing here: ")),
            ("zh", format!("[此处缺少 `{missing}` 的正文：")),
        ] {
            let (exit, text, errors) = place.minds(&["show", "--effective", "--lang", lang]);
            assert_eq!(exit, 1, "{missing}: {errors}");
            assert_eq!(text.matches(&marker).count(), 1, "{missing}: {text}");
            assert!(errors.contains(code) && errors.contains(&format!("`{missing}`")), "{missing}: {errors}");
            for (file, heading) in [
                ("goals.md", "## Goals\n"),
                ("constraints.md", "\n\n## Constraints\n"),
                ("bearinmind/risks.md", "\n\n## Bear In Mind\n### risks.md\n"),
                ("progress.md", "\n\n## Progress\n"),
            ] {
                if !file.starts_with(missing) {
                    let stem = file.trim_start_matches("bearinmind/").trim_end_matches(".md");
                    assert!(text.contains(&format!("{heading}text of {stem}\n")), "{missing}: {text}");
                }
            }
        }
        let (exit, document) = place.json(&["show"]);
        assert_eq!(exit, 1, "{document}");
        assert_eq!(
            (&document["problems"][0]["what"], &document["problems"][0]["code"]),
            (&(*missing).into(), &(*code).into())
        );
        assert!(document["effective"].as_str().unwrap().contains("is missing here"), "{document}");
        let (exit, overview, _) = place.minds(&["show"]);
        assert_eq!(exit, 1, "{overview}");
        let name = missing.trim_end_matches(".md");
        let line = overview.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        assert!(line.contains("unreadable"), "{overview}");
        // The guide and the status are complete, because they are not read from the sections.
        let (exit, prompt, errors) = place.minds(&["prompt"]);
        assert_eq!((exit, errors.as_str()), (0, ""), "{missing}");
        assert!(prompt.contains("**Task `demo`**"), "{prompt}");
        if *code != "INVALID_UTF8" && !missing.starts_with("bearinmind") {
            assert!(prompt.contains(&format!("`{missing}` cannot be read")), "{prompt}");
        }
    }
}

#[test]
fn an_unreadable_journal_does_not_change_the_task_prompt() {
    let place = place();
    let whole = place.minds(&["show", "--effective"]);
    assert_eq!((whole.0, whole.2.as_str()), (0, ""));
    fs::remove_file(place.path("journal.jsonl")).unwrap();
    fs::create_dir(place.path("journal.jsonl")).unwrap();
    let (exit, text, errors) = place.minds(&["show", "--effective"]);
    assert_eq!((exit, &text), (1, &whole.1));
    assert!(errors.contains("NOT_A_FILE]: `journal.jsonl`"), "{errors}");
}

#[test]
fn an_inaccessible_section_is_named() {
    let place = place();
    let file = place.path("progress.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&file).is_ok() {
        return; // A superuser reads everything.
    }
    let (exit, text, errors) = place.minds(&["show", "--effective"]);
    assert_eq!(exit, 1);
    assert!(
        text.contains(
            "## Progress\n[The text of `progress.md` is missing here: the operating system denies access."
        ),
        "{text}"
    );
    assert!(text.contains("text of goals\n") && errors.contains("FAILED: `progress.md`"), "{errors}");
}

#[test]
fn ls_reports_an_unreadable_package_and_lists_the_remaining_ones() {
    let place = place();
    assert_eq!(place.minds(&["new", "other"]).0, 0);
    fs::remove_file(place.path("journal.jsonl")).unwrap();
    fs::create_dir(place.path("journal.jsonl")).unwrap();
    let (exit, list, errors) = place.minds(&["ls"]);
    assert_eq!(exit, 1, "{list}{errors}");
    assert!(list.contains("tasks/demo.tsk   unreadable: NOT_A_FILE\n"), "{list}");
    assert!(list.contains("tasks/other.tsk") && list.lines().count() == 2, "{list}");
    assert!(errors.starts_with("error[NOT_A_FILE]: `tasks/demo.tsk`: "), "{errors}");
    let (exit, document) = place.json(&["ls"]);
    assert_eq!((exit, &document["problems"][0]["code"]), (1, &"NOT_A_FILE".into()), "{document}");
    assert_eq!(document["tasks"].as_array().map(Vec::len), Some(2), "{document}");
}
