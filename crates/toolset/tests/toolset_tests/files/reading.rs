//! Reading a file.

use std::fs;

use minds_vfs::ContentHash;
use serde_json::{Value, json};

use crate::files::fixture::Fixture;

fn five() -> Fixture {
    Fixture::new(&[(".minds/f.md", "a\nb\nc\nd\ne\n")])
}

#[track_caller]
fn read(fixture: &Fixture, args: Value) -> Value {
    let mut args = args;
    args["path"] = ".minds/f.md".into();
    fixture.ok("team_mgmt_read_file", args)
}

#[test]
fn the_exact_text_and_its_hash_are_returned() {
    for text in
        ["", "\n", "x", "x\n", "a\r\nb\r\n", "a\nb", "``` \n```yaml\n'''\n\t\\ \u{feff}é\n", "\u{feff}a\n"]
    {
        let fixture = Fixture::new(&[(".minds/f.md", text), ("f.md", text)]);
        let hash = ContentHash::of(text.as_bytes()).to_string();
        for answer in [read(&fixture, json!({})), fixture.ok("read_file", json!({"path": "f.md"}))] {
            let answer: Value = serde_json::from_str(&answer.to_string()).unwrap();
            assert_eq!(answer["content"], text);
            assert_eq!(answer["sha256"], hash.as_str());
            assert_eq!(answer["size_bytes"], text.len());
            assert_eq!(answer["total_lines"], text.split_inclusive('\n').count());
            assert_eq!(answer["truncated"], false);
            assert!(answer["next"].is_null());
        }
    }
}

#[test]
fn ranges() {
    let fixture = five();
    for (range, content, first) in [
        ("2", "b\n", 2),
        ("2~3", "b\nc\n", 2),
        ("4~", "d\ne\n", 4),
        ("~2", "a\nb\n", 1),
        ("~", "a\nb\nc\nd\ne\n", 1),
        ("", "a\nb\nc\nd\ne\n", 1),
        ("4~9", "d\ne\n", 4),
        (" 5 ", "e\n", 5),
    ] {
        let answer = read(&fixture, json!({"range": range}));
        assert_eq!(
            (&answer["content"], &answer["first_line"]),
            (&json!(content), &json!(first)),
            "`{range}`"
        );
        assert_eq!((&answer["total_lines"], &answer["truncated"]), (&json!(5), &json!(false)), "`{range}`");
    }
    for (range, code) in [
        ("0", "INVALID_RANGE"),
        ("5~4", "INVALID_RANGE"),
        ("2-3", "INVALID_RANGE"),
        ("a", "INVALID_RANGE"),
        ("6", "RANGE_OUT_OF_BOUNDS"),
        ("7~", "RANGE_OUT_OF_BOUNDS"),
    ] {
        let args = json!({"path": ".minds/f.md", "range": range});
        fixture.refused("team_mgmt_read_file", args, code);
    }
}

#[test]
fn lines_are_numbered_only_on_request() {
    let fixture = five();
    let answer = read(&fixture, json!({"show_linenos": true, "range": "4~5"}));
    assert_eq!(answer["content"], "   4| d\n   5| e\n");
    assert_eq!(read(&fixture, json!({"show_linenos": false, "range": "4"}))["content"], "d\n");
}

/// Follows `next` until nothing is missing, and returns what was given, put together.
fn read_on(fixture: &Fixture, args: &Value) -> (String, usize) {
    let (mut text, mut calls) = (String::new(), 0);
    let mut args = args.clone();
    loop {
        let answer = fixture.ok("team_mgmt_read_file", args);
        text.push_str(answer["content"].as_str().unwrap());
        calls += 1;
        let Some(next) = answer["next"].as_str() else {
            assert_eq!(answer["truncated"], false, "{calls}");
            return (text, calls);
        };
        assert_eq!(answer["truncated"], true);
        assert!(answer["summary"].as_str().unwrap().contains(next));
        args = serde_json::from_str(next.strip_prefix("team_mgmt_read_file ").unwrap()).unwrap();
    }
}

#[test]
fn truncated_text_continues_completely_with_the_next_call() {
    let many: String = (1..=1_200).map(|line| format!("line {line}\n")).collect();
    let fixture = Fixture::new(&[(".minds/f.md", &many)]);
    let answer = read(&fixture, json!({}));
    assert_eq!((&answer["shown_lines"], &answer["truncated_by_max_lines"]), (&json!(500), &json!(true)));
    assert_eq!(answer["truncated_by_char_limit"], false);
    assert_eq!(read_on(&fixture, &json!({"path": ".minds/f.md"})), (many.clone(), 3));
    assert_eq!(read_on(&fixture, &json!({"path": ".minds/f.md", "max_lines": 0})), (many.clone(), 3));
    assert_eq!(read_on(&fixture, &json!({"path": ".minds/f.md", "max_lines": 1_200})), (many.clone(), 1));
    assert_eq!(read_on(&fixture, &json!({"path": ".minds/f.md", "max_lines": 400})), (many, 3));
    let (some, calls) = read_on(&fixture, &json!({"path": ".minds/f.md", "range": "3~5", "max_lines": 2}));
    assert_eq!((some.as_str(), calls), ("line 3\nline 4\nline 5\n", 2));
    let (some, _) = read_on(
        &fixture,
        &json!({"path": ".minds/f.md", "range": "3~4", "max_lines": 1, "show_linenos": true}),
    );
    assert_eq!(some, "   3| line 3\n   4| line 4\n");
}

#[test]
fn too_many_characters_return_only_the_first_lines() {
    let (short, long) = ("s\n".to_owned(), "é".repeat(60_000) + "\n");
    let text = [&short, &long, &long, &short].map(String::as_str).concat();
    let fixture = Fixture::new(&[(".minds/f.md", &text)]);
    let answer = read(&fixture, json!({}));
    assert_eq!(answer["content"], format!("{short}{long}"));
    assert_eq!(
        (&answer["truncated_by_char_limit"], &answer["truncated_by_max_lines"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(read_on(&fixture, &json!({"path": ".minds/f.md"})), (text, 2));
}

#[test]
fn a_line_that_is_too_long_is_truncated_and_reported() {
    let long = "é".repeat(100_001);
    let fixture = Fixture::new(&[(".minds/f.md", &format!("{long}\nnext\n"))]);
    let answer = read(&fixture, json!({}));
    assert_eq!(answer["content"], "é".repeat(100_000));
    assert_eq!(answer["truncated_by_char_limit"], true);
    assert!(answer["summary"].as_str().unwrap().contains("only its beginning"), "{}", answer["summary"]);
    assert!(answer["next"].as_str().unwrap().contains("2~"));
    fs::write(fixture.place(".minds/f.md"), &long).unwrap();
    let answer = read(&fixture, json!({}));
    assert_eq!((&answer["truncated"], &answer["next"]), (&json!(true), &Value::Null));
    fs::write(fixture.place(".minds/f.md"), "é".repeat(100_000)).unwrap();
    assert_eq!(read(&fixture, json!({}))["truncated"], false);
}

#[test]
fn reading_binary_files_and_directories_is_refused() {
    let fixture = Fixture::new(&[("dir/f", "f\n")]);
    fixture.write("binary", b"a\xffb");
    let answer = fixture.refused("read_file", json!({"path": "binary"}), "INVALID_UTF8");
    assert!(answer["message"].as_str().unwrap().contains("byte 1"));
    fixture.refused("read_file", json!({"path": "dir"}), "NOT_A_FILE");
    fixture.refused("read_file", json!({"path": "dir/f/g"}), "NOT_A_DIR");
    fixture.refused("read_file", json!({"path": "none"}), "FILE_NOT_FOUND");
    fixture.refused("read_file", json!({"path": "none/f"}), "FILE_NOT_FOUND");
    fs::hard_link(fixture.outside("secret"), fixture.place("hard")).unwrap();
    fixture.refused("read_file", json!({"path": "hard"}), "NOT_A_FILE");
    let large = fs::File::create(fixture.place("large")).unwrap();
    large.set_len(16 * 1024 * 1024 + 1).unwrap();
    fixture.refused("read_file", json!({"path": "large"}), "TOO_LARGE");
}

/// A temporary file may hold what a list denies under its own name.
#[test]
fn temporary_files_are_not_read() {
    let fixture = Fixture::new(&[]);
    for name in [".key.minds-new", ".minds-journal", "dir/.0-1.minds-set", ".dir.minds-gone/key"] {
        fixture.write(name, b"secret");
        fixture.refused("read_file", json!({"path": name}), "INVALID_PATH");
        fixture.refused("search_text", json!({"path": name, "text": "secret"}), "INVALID_PATH");
    }
    assert_eq!(fixture.ok("search_text", json!({"text": "secret"}))["matches"], json!([]));
}

#[test]
fn a_link_that_stays_inside_is_read_in_the_workspace() {
    let fixture = Fixture::new(&[("a", "inside\n")]);
    fixture.link("in", "a");
    fixture.link("out", "../outside/secret");
    fixture.link("absolute", "/etc/passwd");
    fixture.link("loop", "loop");
    assert_eq!(fixture.ok("read_file", json!({"path": "in"}))["content"], "inside\n");
    for path in ["out", "absolute", "loop"] {
        fixture.refused("read_file", json!({"path": path}), "INVALID_PATH");
    }
}

#[test]
fn line_endings_and_byte_order_marks_are_reported() {
    for (text, endings, has_mark) in [
        ("", None, false),
        ("a", None, false),
        ("a\nb\n", Some("lf"), false),
        ("a\r\nb", Some("crlf"), false),
        ("\u{feff}a\r\nb\n", Some("mixed"), true),
    ] {
        let answer = read(&Fixture::new(&[(".minds/f.md", text)]), json!({}));
        assert_eq!(answer["line_endings"].as_str(), endings, "{text:?}");
        assert_eq!(answer["byte_order_mark"].as_bool(), has_mark.then_some(true), "{text:?}");
    }
}
