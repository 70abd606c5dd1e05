//! The JSON Schemas and the decoder agree about every fixture, and about randomly changed fixtures.

mod mutation;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use minds_core::TeamFamily;
use minds_diagnostics::{Diagnostic, Problems, Severity, SourceFile};
use minds_document::{Context, Decode, Format};
use minds_vfs::{Snapshot, WorkspacePath};
use minds_workspace::{Draft, FileKind, schemas};
use serde_json::Value;

use mutation::{Dice, Mutation, pointers};

/// The number of changed files of each kind that are compared.
const MUTATIONS: usize = 7_000;

/// An intended difference between a schema and the decoder.
struct Difference {
    /// The finding of the decoder about the value.
    finds: fn(&Diagnostic) -> bool,
    /// Whether the schema rejects the value, and not the decoder.
    schema_refuses: bool,
    /// A value with this difference, and its kind.
    example: (&'static str, &'static str),
    why: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        finds: |found| found.rule.code == "access/invalid-pattern",
        schema_refuses: false,
        example: ("team", r#"{"member_defaults": {"read_dirs": ["a**b"]}}"#),
        why: "a schema knows that a pattern is not blank, not too long and has no `..`; all of it would be a regular \
              expression that is too complex to read",
    },
    Difference {
        finds: |found| found.rule.code == "access/invalid-extension",
        schema_refuses: false,
        example: ("team", r#"{"member_defaults": {"read_file_ext_names": ["m\u202ed"]}}"#),
        why: "a schema knows nothing of characters that cannot be seen",
    },
    Difference {
        finds: |found| found.message.ends_with("a mapping with one entry"),
        schema_refuses: false,
        example: ("team", r#"{"member_defaults": {"gofor": [{"Code": "a", "Text": "b"}]}}"#),
        why: "a schema cannot count keys without those that belong to the user",
    },
    Difference {
        finds: |found| found.message.contains("must be the integer 1,"),
        schema_refuses: false,
        example: ("mcp", r#"{"version": 1.0}"#),
        why: "to a schema 1.0 is the integer 1; as the version of a format it is an error",
    },
    Difference {
        finds: |found| found.message.contains("URL"),
        schema_refuses: false,
        example: (
            "mcp",
            r#"{"version": 1, "servers": {"a": {"transport": "streamable_http", "url": "http://a:65536"}}}"#,
        ),
        why: "a schema knows neither the largest port nor IPv6 addresses",
    },
    Difference {
        finds: |found| found.rule.code == "settings/invalid-task-home",
        schema_refuses: false,
        example: ("settings", r#"{"task_home": "a/../b"}"#),
        why: "a schema checks that a path is relative; the other rules of paths cannot be a regular expression",
    },
    Difference {
        finds: |found| found.rule.area() == "secret",
        schema_refuses: true,
        example: (
            "llm",
            concat!(
                r#"{"providers": {"a": {"apiType": "openai", "baseUrl": "https://a", "models": {"b": {}}, "#,
                r#""apiKeyEnvVar": "sk-"#,
                r#"7h3Kq9Zr2mXw5Tb8Vn4Lp6Jd"}}}"#
            ),
        ),
        why: "a key in the place of a variable name is a separate finding",
    },
    Difference {
        finds: |found| {
            let lacks = |key: &str| found.message.ends_with(&format!("lacks the key `{key}`"));
            lacks("to")
                || lacks("url")
                || lacks("command")
                || found.message.ends_with("a program and its arguments")
        },
        schema_refuses: false,
        example: (
            "team-compose",
            r#"{"version": 2, "rate_limits": {"hooks": [{"name": "a", "action": "send"}]}}"#,
        ),
        why: "what a hook needs depends on what it does, and null means the same as nothing",
    },
    Difference {
        finds: |found| found.message.ends_with("a date, or a date and a time"),
        schema_refuses: false,
        example: (
            "team-compose",
            r#"{"version": 2, "hitl": {"auto_approve_windows": [{"action": "a", "until": "2026-02-30"}]}}"#,
        ),
        why: "a schema knows how a date looks, and has no calendar",
    },
    Difference {
        finds: |found| found.message.ends_with(", not null"),
        schema_refuses: false,
        example: ("team-compose", r#"{"version": 2, "broker": null}"#),
        why: "to a schema nothing that is written and a null that is written are the same",
    },
    Difference {
        finds: |found| found.message.contains("must be an integer, not a number"),
        schema_refuses: false,
        example: ("project", r#"{"version": 2.0, "project": {"id": "a", "name": "a", "cwd": "."}}"#),
        why: "to a schema 2.0 is the integer 2",
    },
    Difference {
        finds: |found| found.rule.area() == "source",
        schema_refuses: false,
        example: (
            "source",
            r#"{"items": [{"kind": "rule", "name": "a", "path": "a.md", "link": "agents/a.md"}]}"#,
        ),
        why: "names, paths, patterns, revisions and sources have rules that would be regular expressions that are too complex \
              to read",
    },
    Difference {
        finds: |found| found.rule.code == "compose/invalid-pattern",
        schema_refuses: false,
        example: ("runtime", r#"{"binary": "x", "rate_limit_patterns": [{"match": "("}]}"#),
        why: "no schema says what a regular expression is",
    },
    Difference {
        finds: |found| found.rule.code == "mcp/unused-key",
        schema_refuses: true,
        example: (
            "mcp",
            r#"{"version": 1, "servers": {"a": {"transport": "stdio", "command": "a", "url": 1}}}"#,
        ),
        why: "keys of the other transport are a warning and not read; a schema checks them all the same",
    },
];

struct Kind {
    kind: &'static FileKind,
    validators: Vec<Validator>,
}

impl Kind {
    fn all() -> Vec<Self> {
        let validators = |kind: &FileKind| {
            let schema = (kind.schema)();
            Draft::ALL.map(|draft| jsonschema::validator_for(&draft.render(&schema)).unwrap()).into()
        };
        // Fleet files are compared by a test of the fleet crate.
        let compared = schemas().iter().filter(|kind| !kind.name.starts_with("fleet-"));
        compared.map(|kind| Self { kind, validators: validators(kind) }).collect()
    }

    /// Returns the text of a file with the content `value`; `None` if the format cannot represent it.
    fn write(&self, value: &Value) -> Option<String> {
        match Format::of(self.kind.file)? {
            // JSON is YAML, except for one character that JSON does not escape.
            Format::Yaml => Some(value.to_string().replace('\u{7f}', "\\u007f")),
            Format::Toml => toml::to_string(value).ok(),
        }
    }

    /// Compares the results for a value, and returns the intended difference that explains a disagreement.
    fn compare(&self, value: &Value) -> Option<usize> {
        let text = self.write(value)?;
        let found = decode(self.kind, &text);
        let is_shape =
            |found: &&Diagnostic| found.severity == Severity::Error && found.rule.area() != "secret";
        let refused: Vec<&Diagnostic> = found.iter().filter(is_shape).collect();
        let accepted: Vec<bool> = self.validators.iter().map(|validator| validator.is_valid(value)).collect();
        assert!(accepted.windows(2).all(|pair| pair[0] == pair[1]), "the drafts differ: {text}");
        if accepted[0] == refused.is_empty() {
            return None;
        }
        let explains = |difference: &Difference| {
            if difference.schema_refuses {
                !accepted[0] && found.iter().any(difference.finds)
            } else {
                accepted[0] && refused.iter().all(|found| (difference.finds)(found))
            }
        };
        let by = DIFFERENCES.iter().position(explains);
        assert!(
            by.is_some(),
            "{}: {text}\ndecoder: {:#?}\nschema: {:#?}",
            self.kind.name,
            refused.iter().map(|found| format!("{} {}", found.rule.code, found.message)).collect::<Vec<_>>(),
            self.validators[0]
                .iter_errors(value)
                .map(|error| format!("{} {error}", error.instance_path()))
                .collect::<Vec<_>>(),
        );
        by
    }
}

/// Returns the findings of decoding a file with this text, before any rule is checked, and the secrets in it.
fn decode(kind: &FileKind, text: &str) -> Vec<Diagnostic> {
    let file = kind.file;
    match kind.name {
        "team-compose" => return decode_as::<minds_compose::Compose>(file, text),
        "project" => return decode_as::<minds_compose::Project>(file, text),
        "runtime" => return decode_as::<minds_compose::Runtime>(file, text),
        "source" => return decode_as::<minds_sources::Manifest>(file, text),
        _ => {}
    }
    let snapshot = Snapshot::new().with_file(WorkspacePath::parse(file).unwrap(), text);
    let loaded = TeamFamily::load(&snapshot);
    let meant = minds_core::check(&loaded.value).into_sorted();
    let secrets = meant.into_iter().filter(|found| found.rule.area() == "secret");
    loaded.problems.into_sorted().into_iter().chain(secrets).collect()
}

/// Returns the findings of decoding a single value.
fn decode_as<T: Decode>(file: &str, text: &str) -> Vec<Diagnostic> {
    let mut problems = Problems::new();
    let format = Format::of(file).unwrap();
    let document = format.parse(&SourceFile::new(file, text)).take(&mut problems);
    let mut cx = Context::new();
    let _ = document.and_then(|document| T::decode(document.root(), &mut cx));
    problems.append(cx.into_problems());
    problems.into_sorted()
}

/// Returns whether a fixture is a file of a kind: its path matches, or for kinds with user-defined file names its extension
/// and directory.
fn is_file_of_kind(path: &Path, file: &str) -> bool {
    let Some((folder, ending)) = file.split_once("/*") else {
        let name = file.strip_prefix(".team/").unwrap_or(file);
        return path.ends_with(name);
    };
    let folder = folder.rsplit('/').next().unwrap();
    path.parent().is_some_and(|parent| parent.ends_with(folder))
        && path.to_str().is_some_and(|path| path.ends_with(ending))
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("fixtures")
}

/// Returns the values of all fixtures of a kind that are completely parsed.
fn values(file: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let mut folders = vec![fixtures()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if is_file_of_kind(&path, file) {
                values.extend(value(file, &fs::read(&path).unwrap()));
            }
        }
    }
    if file.ends_with("team.yaml") {
        let recorded: Value =
            serde_json::from_slice(&fs::read(fixtures().join("recorded/team-validator.json")).unwrap())
                .unwrap();
        for case in recorded.as_array().unwrap() {
            values.extend(value(file, case["yaml"].as_str().unwrap().as_bytes()));
        }
    }
    values
}

fn value(file: &str, text: &[u8]) -> Option<Value> {
    let parsed = Format::of(file)?.parse(&SourceFile::new(file, text));
    if !parsed.problems.is_empty() {
        return None;
    }
    let document = parsed.value?;
    // JSON cannot represent these numbers.
    let has_infinity =
        document.iter().any(|node| matches!(node.value(), minds_document::Value::Float(f) if !f.is_finite()));
    (!has_infinity).then(|| document.root().to_json())
}

/// Returns all keys of a schema, and some unknown keys.
fn keys(kind: &FileKind) -> Vec<String> {
    let schema = Draft::Draft202012.render(&(kind.schema)());
    let mut keys: BTreeSet<String> = ["x-mine", "unknown", "a"].map(str::to_owned).into();
    for pointer in pointers(&schema) {
        if pointer.ends_with("/properties") {
            keys.extend(schema.pointer(&pointer).unwrap().as_object().unwrap().keys().cloned());
        }
    }
    let mut keys: Vec<String> = keys.into_iter().collect();
    // One key in ten is a merge key, so that every mapping is tested with one.
    keys.extend(vec!["<<".to_owned(); keys.len() / 10]);
    keys
}

#[test]
fn schemas_and_decoder_agree_about_fixtures_and_changed_fixtures() {
    for kind in Kind::all() {
        let values = values(kind.kind.file);
        assert!(values.len() >= 5, "{}: {} fixtures", kind.kind.name, values.len());
        let (mut valid, mut invalid) = (Vec::new(), Vec::new());
        for value in values {
            kind.compare(&value);
            if kind.validators[0].is_valid(&value) { valid.push(value) } else { invalid.push(value) }
        }
        let keys = keys(kind.kind);
        let mut dice = Dice(7);
        let mut done: BTreeMap<Mutation, usize> = BTreeMap::new();
        while done.values().sum::<usize>() < MUTATIONS {
            // Changing an invalid value is less useful.
            let pool = if dice.next_below(8) == 0 && !invalid.is_empty() { &invalid } else { &valid };
            let mut value = dice.pick(pool).clone();
            for _ in 0..=dice.next_below(2) {
                let mutation = *dice.pick(&Mutation::ALL);
                if mutation.apply(&mut value, &keys, &mut dice) {
                    *done.entry(mutation).or_default() += 1;
                }
            }
            kind.compare(&value);
        }
        assert!(done.len() == Mutation::ALL.len() && done.values().all(|count| *count > MUTATIONS / 10));
    }
}

#[test]
fn every_intended_difference_exists() {
    let kinds = Kind::all();
    for (at, difference) in DIFFERENCES.iter().enumerate() {
        let (kind, value) = difference.example;
        let kind = kinds.iter().find(|known| known.kind.name == kind).unwrap();
        let by = kind.compare(&serde_json::from_str(value).unwrap());
        assert_eq!(by, Some(at), "{value}: {}", difference.why);
    }
}
