//! Mappings with declared keys.

use minds_diagnostics::SourceFile;
use minds_document::json_schema::{JsonSchema as _, Schema, SchemaGenerator, json, json_schema};
use minds_document::yaml::{self, KeyOrder};
use minds_document::{
    Context, Decode, Field, FiniteNumber, Keys, List, Node, Spanned, Text, Value, decode_keys,
};

/// A member.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "member", describe, hint = help_with_names)]
struct Member {
    /// What people read.
    #[key(required)]
    name: Field<Text>,
    /// Where it works.
    #[key(flatten)]
    place: Option<Box<Place>>,
    /// Whether it is omitted from lists.
    #[key(name = "is-hidden", also = "is_hidden", default = false)]
    is_hidden: Field<bool>,
    /// The number of its fields.
    #[key(skip)]
    count: usize,
}

#[derive(Debug, Default, Keys)]
#[keys(group)]
struct Place {
    /// The city.
    city: Field<Text>,
    /// The desks.
    desks: Field<List<Text>>,
}

/// A team, in whose file null means nothing.
#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "team")]
struct Team {
    /// The groups.
    #[key(absent = is_null)]
    groups: Field<List<Group>>,
    /// The number of the level.
    #[key(absent = is_null, decode = level, schema = level_schema)]
    level: Field<i64>,
}

#[derive(Debug, Default, Keys, Decode)]
#[keys(title = "group", list = "a list of groups")]
struct Group {
    /// The name.
    name: Field<Text>,
    /// The labels.
    labels: Field<List<Text>>,
}

fn is_null(node: Node<'_>) -> bool {
    node.value() == Value::Null
}

fn level(node: Node<'_>, cx: &mut Context) -> Option<i64> {
    if let Value::Integer(level) = node.value() {
        return Some(level);
    }
    cx.type_error(node, "an integer");
    None
}

fn level_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "null"] })
}

/// A desk.
#[derive(Debug, Keys, Decode)]
#[keys(title = "desk", partial = DeskKeys)]
struct Desk {
    /// The group.
    group: Spanned<Text>,
    /// The number of its drawers.
    #[key(range = 1..=8, default = 2)]
    drawers: Field<i64>,
    /// Its height in meters.
    #[key(range = 0.5..)]
    height: Field<FiniteNumber>,
}

fn help_with_names(entry: &minds_document::Entry<'_>) -> Option<String> {
    (entry.key == "title").then(|| "write `name`".to_owned())
}

/// Decodes a mapping, and returns it with the messages and helps of the findings.
#[track_caller]
fn decode<T: Decode>(text: &str) -> (T, Vec<String>) {
    let (value, found) = try_decode(text);
    (value.unwrap(), found)
}

fn try_decode<T: Decode>(text: &str) -> (Option<T>, Vec<String>) {
    let source = SourceFile::new("member.yaml", text);
    let document = yaml::parse(&source).value.unwrap();
    let mut cx = Context::new();
    let value = T::decode(document.root(), &mut cx);
    let found = cx.into_problems().into_sorted().into_iter();
    (value, found.map(|found| format!("{}: {}", found.message, found.help.unwrap_or_default())).collect())
}

#[test]
fn keys_are_in_the_order_of_the_fields() {
    let names: Vec<&str> = Member::KEYS.iter().map(|key| key.name).collect();
    assert_eq!(names, ["name", "city", "desks", "is-hidden", "is_hidden"]);
    let fields: Vec<&str> = Member::KEYS.iter().map(|key| key.field).collect();
    assert_eq!(fields, ["name", "city", "desks", "is-hidden", "is-hidden"]);
    let order: Vec<&str> = KeyOrder::of::<Member>().fields().map(|(name, _)| name).collect();
    assert_eq!(order, names);
}

#[test]
fn values_are_decoded_under_each_spelling() {
    let (member, found) = decode::<Member>("name: A\nis_hidden: true\ndesks: [one, two]\n");
    assert_eq!(found, Vec::<String>::new());
    assert!(member.is_hidden.as_given().unwrap().value);
    assert_eq!(member.place.unwrap().desks.as_given().unwrap().value.items.len(), 2);
    assert_eq!(member.count, 0);

    let (_, found) = decode::<Member>("name: A\nis_hidden: true\nis-hidden: true\n");
    assert_eq!(found, ["`is-hidden` and `is_hidden` are the same key: keep only `is-hidden`"]);
}

#[test]
fn a_group_without_keys_is_not_stored() {
    assert!(decode::<Member>("name: A\n").0.place.is_none());
}

#[test]
fn a_value_that_means_no_key_is_not_decoded() {
    let (team, found) = decode::<Team>("groups: null\nlevel: ~\n");
    assert!(team.groups.is_absent() && team.level.is_absent());
    assert_eq!(found, Vec::<String>::new());

    let (team, found) = decode::<Team>("groups: [{name: A}, 5]\nlevel: x\n");
    let groups = &team.groups.as_given().unwrap().value;
    assert_eq!((groups.items.len(), groups.is_complete), (1, false));
    assert!(team.level.is_unreadable());
    assert_eq!(
        found,
        [
            "item 2 of `groups` must be a mapping, not an integer: write a mapping",
            "`level` must be an integer, not a string: write an integer",
        ]
    );
    assert_eq!(
        decode::<Team>("groups: A\n").1,
        ["`groups` must be a list of groups, not a string: write `[A]`"]
    );
}

#[test]
fn the_order_of_a_list_is_that_of_its_items() {
    let order = KeyOrder::of::<Team>();
    let (_, groups) = order.fields().find(|(name, _)| *name == "groups").unwrap();
    let KeyOrder::Items(group) = groups else { panic!("expected a list: {groups:?}") };
    assert_eq!(group.fields().map(|(name, _)| name).collect::<Vec<_>>(), ["name", "labels"]);
}

#[test]
fn the_schema_accepts_null_where_it_means_no_key() {
    let schema = Team::json_schema(&mut SchemaGenerator::default()).to_value();
    let level = json!({ "type": ["integer", "null"], "description": "The number of the level." });
    assert_eq!(schema["properties"]["level"], level);
    assert_eq!(schema["properties"]["groups"]["anyOf"][0]["type"], "array");
    assert_eq!(schema["properties"]["groups"]["anyOf"][1], json!({ "type": "null" }));
    assert_eq!(schema["properties"]["groups"]["description"], "The groups.");
}

#[test]
fn misspelled_and_missing_keys_are_not_confused() {
    let (member, found) = decode::<Member>("nmae: A\ncyti: x\n");
    assert!(member.name.is_unreadable());
    assert!(member.place.is_none() || member.place.unwrap().city.is_unreadable());
    assert_eq!(found.len(), 2, "{found:?}");

    let (member, found) = decode::<Member>("city: x\n");
    assert!(member.name.is_absent());
    assert_eq!(found, ["the file lacks the key `name`: add `name:`"]);
}

#[test]
fn there_is_no_value_without_its_essential_keys() {
    let (desk, found) = try_decode::<Desk>("group: A\ndrawers: 3\n");
    assert_eq!(found, Vec::<String>::new());
    let desk = desk.unwrap();
    assert_eq!(desk.group.value, "A");
    assert_eq!(desk.drawers.as_given().unwrap().value, 3);
    assert!(desk.height.is_absent());

    for (text, message) in [
        ("drawers: 3\n", "the file lacks the key `group`: add `group:`"),
        ("group: []\n", "`group` must be a string, not a list: write a string"),
        ("gruop: A\n", "unknown key `gruop`: did you mean `group`?"),
    ] {
        let (desk, found) = try_decode::<Desk>(text);
        assert!(desk.is_none(), "{text}");
        assert_eq!(found, [message], "{text}");
    }
    let names: Vec<&str> = DeskKeys::KEYS.iter().map(|key| key.name).collect();
    assert_eq!(names, ["group", "drawers", "height"]);
}

#[test]
fn numbers_are_decoded_within_their_range() {
    for (text, message) in [
        ("drawers: 0", "`drawers` must be an integer from 1 to 8: write an integer from 1 to 8"),
        ("drawers: 9.0", "`drawers` must be an integer from 1 to 8: write an integer from 1 to 8"),
        (
            "drawers: 1.5",
            "`drawers` must be an integer from 1 to 8, not a number: write an integer from 1 to 8",
        ),
        ("height: 0.4", "`height` must be a number from 0.5: write a number from 0.5"),
    ] {
        let (desk, found) = try_decode::<Desk>(&format!("group: A\n{text}\n"));
        assert!(desk.is_some_and(|desk| desk.drawers.is_unreadable() || desk.height.is_unreadable()));
        assert_eq!(found, [message], "{text}");
    }
    for text in ["drawers: 1", "drawers: 8", "drawers: 2.0", "height: 0.5", "height: 7"] {
        assert_eq!(try_decode::<Desk>(&format!("group: A\n{text}\n")).1, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_hint_replaces_the_suggestion() {
    assert_eq!(decode::<Member>("name: A\ntitle: B\n").1, ["unknown key `title`: write `name`"]);
}

#[test]
fn a_taken_entry_is_known_and_not_read() {
    let source = SourceFile::new("member.yaml", "name: 5\ncity: x\n");
    let document = yaml::parse(&source).value.unwrap();
    let mut cx = Context::new();
    let mut fields = cx.fields(document.root()).unwrap();
    assert!(fields.take_entry("name").is_some());
    let member = Member::from_fields(fields, |_| None);
    assert!(member.name.is_absent());
    assert!(cx.into_problems().into_sorted().is_empty());
}

#[test]
fn a_value_that_is_not_a_mapping_is_reported_once() {
    let source = SourceFile::new("member.yaml", "- name\n");
    let document = yaml::parse(&source).value.unwrap();
    let mut cx = Context::new();
    assert!(decode_keys::<Member>(document.root(), &mut cx, |_| None).is_none());
    assert_eq!(cx.into_problems().into_sorted().len(), 1);
}

#[test]
fn the_schema_comes_from_the_declaration() {
    let schema = Member::json_schema(&mut SchemaGenerator::default()).to_value();
    let string = |description: &str| json!({ "type": "string", "description": description });
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "title": "member",
            "description": "A member.",
            "required": ["name"],
            "properties": {
                "name": string("What people read."),
                "city": string("The city."),
                "desks": { "type": "array", "items": { "type": "string" }, "description": "The desks." },
                "is-hidden": {
                    "type": "boolean", "description": "Whether it is omitted from lists.", "default": false,
                },
                "is_hidden": {
                    "type": "boolean", "description": "Another spelling of `is-hidden`.", "doNotSuggest": true,
                },
            },
            "allOf": [{ "if": { "required": ["is-hidden"] }, "then": { "properties": { "is_hidden": false } } }],
            "patternProperties": { "^x-": true },
            "additionalProperties": false,
        })
    );
}

#[test]
fn the_schema_demands_essential_keys_and_ranges() {
    let schema = Desk::json_schema(&mut SchemaGenerator::default()).to_value();
    assert_eq!(schema["required"], json!(["group"]));
    assert_eq!(
        schema["properties"],
        json!({
            "group": { "type": "string", "description": "The group." },
            "drawers": {
                "type": "integer", "minimum": 1, "maximum": 8, "default": 2,
                "description": "The number of its drawers.",
            },
            "height": { "type": "number", "minimum": 0.5, "description": "Its height in meters." },
        })
    );
}
