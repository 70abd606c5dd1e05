//! Every JSON document has a schema, and matches it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use clap::Command;
use jsonschema::Validator;
use minds_cli::DocumentKind;
use serde_json::{Map, Value, json};

use super::{SERVERS, arguments, commands, document, has, join, words};
use crate::contract::world::World;

/// Command lines that print other documents than the commands alone, each with the name of its schema.
const FURTHER_LINES: &[(&str, &str)] = &[
    ("check --diff", "check-diff"),
    ("check --no-such-option", "error"),
    ("explain team/unknown-member", "rules"),
    ("init --editor vscode", "init-refused"),
    ("init --from auto -C ../empty", "init-from"),
    ("prompt toolbox --check", "prompt-toolbox-check"),
    ("files read nope.md", "tool-answer"),
    ("manual nope", "tool-answer"),
    ("schema --write schemas", "schema-files"),
    ("schema team", "schema"),
    ("source add ../agents --dry-run", "source-outcome"),
    ("source doctor --fix --yes", "source-outcome"),
    ("source list --sources", "source-list-sources"),
    ("source list --tree", "source-list-tree"),
    ("source list skill:review", "source-list-item"),
    ("task edit goals", "task-unchanged"),
    ("task show --section goals", "task-section"),
    ("task show nope", "refusal"),
];

/// Fields whose values are the names of outcomes and kinds.
const NAMES_OF_KINDS: [&str; 8] = ["action", "list", "match", "mode", "operation", "state", "status", "type"];

/// The keywords that combine schemas.
const COMBINATIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Makes fields invalid that the schema does not list. Published schemas accept them, because later versions can add some.
fn forbid_further_fields(schema: &mut Value, is_part: bool) {
    let Some(schema) = schema.as_object_mut() else { return };
    let has_properties = schema.contains_key("properties");
    let combines = COMBINATIONS.iter().any(|keyword| schema.contains_key(*keyword));
    for (keyword, value) in schema.iter_mut() {
        match value {
            Value::Object(map) if ["properties", "$defs"].contains(&keyword.as_str()) => {
                map.values_mut().for_each(|inner| forbid_further_fields(inner, false));
            }
            Value::Array(parts) if COMBINATIONS.contains(&keyword.as_str()) => {
                for part in parts.iter_mut() {
                    forbid_further_fields(part, has_properties || is_part);
                }
            }
            Value::Object(_) => forbid_further_fields(value, false),
            _ => {}
        }
    }
    if has_properties && !is_part && !schema.contains_key("additionalProperties") {
        let keyword = if combines { "unevaluatedProperties" } else { "additionalProperties" };
        schema.insert(keyword.to_owned(), Value::Bool(false));
    }
}

/// The documents with strict validators.
struct Schemas(Vec<(DocumentKind, Validator)>);

impl Schemas {
    fn new() -> Self {
        let strict = |document: DocumentKind| {
            let mut schema = document.schema.clone();
            forbid_further_fields(&mut schema, false);
            let validator = jsonschema::draft202012::new(&schema).expect("a schema is valid");
            (document, validator)
        };
        Self(minds_cli::documents().into_iter().map(strict).collect())
    }

    /// Returns the names of the schemas of a command that a document matches.
    #[track_caller]
    fn matching(&self, command: &str, document: &Value) -> Vec<&'static str> {
        let is_error = document.get("error").is_some();
        let of_command =
            |kind: &DocumentKind| kind.commands.contains(&command) || (is_error && kind.commands.is_empty());
        let candidates: Vec<_> = self.0.iter().filter(|(kind, _)| of_command(kind)).collect();
        let found = candidates.iter().filter(|(_, validator)| validator.is_valid(document));
        let found: Vec<&str> = found.map(|(kind, _)| kind.name).collect();
        let problems = || {
            let errors = candidates.iter().flat_map(|(kind, validator)| {
                validator.iter_errors(document).map(|error| format!("{}: {error}", kind.name))
            });
            errors.collect::<Vec<_>>().join("\n")
        };
        assert!(!found.is_empty(), "`{command}` has no schema for {document}\n{}", problems());
        found
    }
}

/// Asserts that a document matches the schema of a document of any command, without further fields.
#[track_caller]
pub(crate) fn assert_has_schema(document: &Value) {
    static SCHEMAS: LazyLock<Schemas> = LazyLock::new(Schemas::new);
    let is_known = SCHEMAS.0.iter().any(|(_, validator)| validator.is_valid(document));
    assert!(is_known, "no schema for {document}");
}

/// Returns the name of a command; that of a verb of sources is the name below `source`.
fn canonical_name(program: &Command, names: &[String]) -> String {
    let (first, rest) = names.split_first().expect("a command has a name");
    let is_verb = program.find_subcommand(first).is_some_and(Command::is_hide_set);
    let verb = program
        .find_subcommand("source")
        .filter(|_| is_verb)
        .and_then(|source| source.find_subcommand(first));
    let first = verb.map_or_else(|| first.clone(), |verb| format!("source {}", verb.get_name()));
    [&[first], rest].concat().join(" ")
}

#[test]
fn every_document_matches_a_schema_and_every_schema_has_a_document() {
    let world = World::new();
    let schemas = Schemas::new();
    let mut program = minds_cli::command();
    program.build();
    let mut printed = BTreeSet::new();
    let mut names_of_commands = BTreeSet::new();
    let json = words("--json");
    for (names, command) in commands().into_iter().filter(|(_, command)| has(command, "json")) {
        let name = canonical_name(&program, &names);
        names_of_commands.insert(name.clone());
        if SERVERS.contains(&name.as_str()) {
            continue;
        }
        let args = arguments(&names.join(" "), &command);
        let line = join(&[&names, &args, &json]);
        printed.extend(schemas.matching(&name, &document(&line, &world.run("app", &line).stdout)));
    }
    for (line, expected) in FURTHER_LINES {
        let line = words(line);
        let names = (1..=line.len()).rev().map(|length| line[..length].join(" "));
        let name = names.clone().find(|name| names_of_commands.contains(name)).expect("a command");
        let line = join(&[&line, &json]);
        let found = schemas.matching(&name, &document(&line, &world.run("app", &line).stdout));
        assert!(found.contains(expected), "{line:?} is a document of {found:?}");
        printed.extend(found);
    }
    let all: BTreeSet<&str> = schemas.0.iter().map(|(kind, _)| kind.name).collect();
    let servers =
        schemas.0.iter().filter(|(kind, _)| kind.commands.iter().any(|name| SERVERS.contains(name)));
    printed.extend(servers.map(|(kind, _)| kind.name));
    assert_eq!(printed, all, "documents are only known to match their schemas if a test prints them");
    for name in schemas.0.iter().flat_map(|(kind, _)| kind.commands) {
        assert!(names_of_commands.contains(*name), "no command `{name}`");
    }
}

/// Adds the fields of a schema that have a name of [`NAMES_OF_KINDS`] and accept any string.
fn collect_open_kinds(schema: &Value, found: &mut BTreeSet<String>) {
    let lists_values = |field: &Value| {
        let text = field.to_string();
        ["\"enum\":", "\"const\":", "\"$ref\":"].iter().any(|keyword| text.contains(keyword))
    };
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let open =
        properties.filter(|(name, field)| NAMES_OF_KINDS.contains(&name.as_str()) && !lists_values(field));
    found.extend(open.map(|(name, _)| name.clone()));
    match schema {
        Value::Object(map) => map.values().for_each(|inner| collect_open_kinds(inner, found)),
        Value::Array(items) => items.iter().for_each(|inner| collect_open_kinds(inner, found)),
        _ => {}
    }
}

#[test]
fn schemas_list_the_names_of_outcomes_and_kinds() {
    for document in minds_cli::documents() {
        let mut found = BTreeSet::new();
        collect_open_kinds(&document.schema, &mut found);
        assert_eq!(found, BTreeSet::new(), "{}", document.name);
    }
}

#[test]
fn a_field_without_a_schema_is_found() {
    let mut schema = json!({"properties": {"a": {"properties": {"b": {}}}}});
    forbid_further_fields(&mut schema, false);
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    assert!(validator.is_valid(&json!({"a": {"b": 1}})));
    assert!(!validator.is_valid(&json!({"a": {"b": 1, "c": 2}})));
    assert!(!validator.is_valid(&Value::Object(Map::from_iter([("d".to_owned(), Value::Null)]))));
}
