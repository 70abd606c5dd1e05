//! Strings in compose files are the same strings in YAML 1.1, which Docker Compose reads, and in YAML 1.2.

use minds_diagnostics::{Problems, SourceFile};
use minds_document::Format;
use minds_render::Target;
use minds_render::services::{Service, Value, render};
use proptest::prelude::{any, prop, proptest};
use serde_json::json;

/// Strings that are something else without quotes, in YAML 1.1 or 1.2, or that parsers change.
const STRINGS: &[&str] = &[
    "1_000",
    "12:30",
    "190:20:30.15",
    "yes",
    "No",
    "ON",
    "y",
    "true",
    "~",
    "",
    "null",
    "0o7",
    "010",
    "0b1",
    "0x1F",
    "+1",
    "1e3",
    ".5",
    ".inf",
    ".NaN",
    "2001-01-01",
    "<<",
    "=",
    "---",
    "- a",
    "a: b",
    "a #b",
    "trailing ",
    " leading",
    "\t",
    "a\tb",
    "a\nb\n",
    "a\r\nb",
    "\u{85}",
    "a\u{2028}b",
    "a\u{2029}",
    "\u{feff}",
    "\u{7f}",
    "\u{fffe}",
    "'\u{2028}\\",
    "it's",
    "$X",
    "${X:-y}",
    "$$",
];

/// Returns the compose file of a service with the name `name` and the arguments `arguments`.
fn compose_file(name: &str, arguments: &[&str]) -> String {
    let mut service = Service::new(name, name, Value::new("the directory", "/srv"));
    service.command =
        ["/bin/x"].iter().chain(arguments).map(|text| Value::new("an argument", *text)).collect();
    let mut problems = Problems::new();
    let made = render(&[service], Target::Docker, "minds-test", &mut problems).unwrap();
    assert!(problems.is_empty());
    String::from_utf8(made[1].bytes.clone()).unwrap()
}

/// Reads a compose file with the reader of the command, and returns the name of its service and its arguments.
fn read(text: &str) -> (String, serde_json::Value) {
    let parsed = Format::Yaml.parse(&SourceFile::new("compose.yaml", text));
    assert!(parsed.problems.is_empty(), "{text}");
    let document = parsed.value.unwrap();
    let services = document.root().get("services").unwrap();
    let entry = services.entries().next().unwrap();
    (entry.key.to_owned(), entry.value.get("command").unwrap().to_json())
}

/// Returns the string with `$` written so that nothing is expanded.
fn literal(text: &str) -> String {
    text.replace('$', "$$")
}

#[test]
fn strings_of_other_types_are_read_back_unchanged() {
    let text = compose_file("a", STRINGS);
    let expected: Vec<String> = STRINGS.iter().map(|text| literal(text)).collect();
    assert_eq!(read(&text), ("a".to_owned(), json!(expected)));
    let items: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("      - ")).collect();
    let is_quoted = |item: &&str| item.starts_with(['\'', '"']) || item.starts_with("type: '");
    assert!(items.len() > STRINGS.len() && items.iter().all(is_quoted), "{text}");
    // Characters that end a line in YAML 1.1 only, or that parsers remove or refuse.
    assert!(!text.contains(['\r', '\t', '\u{85}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{7f}', '\u{fffe}']));
}

/// Keys are quoted if YAML 1.1 or 1.2 reads them as something other than a string.
#[test]
fn names_of_other_types_are_quoted() {
    let names = ["yes", "No", "on", "y", "null", "true", "1_000", "0o7", "010", "0x1F", "1e3", ".5", ".inf"];
    for name in names {
        let text = compose_file(name, &[]);
        assert!(text.contains(&format!("\nservices:\n  \"{name}\":\n")), "{text}");
        assert_eq!(read(&text).0, name);
    }
    assert!(compose_file("shop-lead", &[]).contains("\n  shop-lead:\n"));
}

proptest! {
    #[test]
    fn arbitrary_strings_are_read_back_unchanged(arguments in prop::collection::vec(any::<String>(), 0..5)) {
        let arguments: Vec<String> = arguments.iter().map(|text| text.replace('\0', "")).collect();
        let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let expected: Vec<String> = given.iter().map(|text| literal(text)).collect();
        assert_eq!(read(&compose_file("a", &given)).1, json!(expected));
    }
}
