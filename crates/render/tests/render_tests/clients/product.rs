//! Every key of `mcp.yaml` for every client: written to its file, or reported.

use std::collections::BTreeSet;

use minds_core::schema::KINDS;
use minds_document::json_schema::Draft;
use minds_render::clients::{Client, Field};
use serde_json::{Value, json};

use super::rows::{ADDRESS, Is, PROGRAM, Row, rows};
use super::{findings, names, place, read, render_first};

fn mcp(row: &Row) -> String {
    let is_address = row.lines.starts_with("headers") || row.lines.starts_with("sessionId");
    let base = if is_address { ADDRESS } else { PROGRAM };
    let base = if row.lines == ADDRESS { "" } else { base };
    let lines: Vec<String> =
        base.lines().chain(row.lines.lines()).map(|line| format!("    {line}\n")).collect();
    format!("version: 1\nservers:\n  {}:\n{}", row.name, lines.concat())
}

#[track_caller]
fn check(row: &Row, client: Client, expected: &Is) {
    let mcp = mcp(row);
    let case = format!("{client:?}, {:?}:\n{mcp}", row.field);
    let merged = render_first(client, &mcp, None);
    let server = merged.text.as_deref().and_then(|text| {
        let file = read(client, text);
        file.pointer(place(client)).and_then(|servers| servers.get(row.name)).cloned()
    });
    assert_eq!(names(&merged), server.iter().map(|_| row.name).collect::<Vec<_>>(), "{case}");
    let found = findings(merged);
    match expected {
        Is::At(pointer, value) => {
            let server = server.expect(&case);
            let there = server.pointer(pointer);
            assert!(there.is_some() && (value.is_null() || there == Some(value)), "{case}{server:#}");
            assert!(found.is_empty(), "{case}{found:?}");
        }
        Is::Without => assert!(server.is_some(), "{case}"),
        Is::Out | Is::OutAt(_) | Is::Off => assert!(server.is_none(), "{case}"),
    }
    if matches!(expected, Is::Without | Is::Out | Is::OutAt(_)) {
        assert_eq!(found.len(), 1, "{case}{found:?}");
        assert_eq!(found[0].rule.code, "render/cannot-express", "{case}");
        let pointer = if let Is::OutAt(pointer) = expected { pointer } else { row.pointer };
        let at = format!("/servers/{}{pointer}", row.name);
        assert_eq!(found[0].pointer.as_deref(), Some(at.as_str()), "{case}");
        assert_eq!(found[0].primary.as_ref().unwrap().source.name(), ".minds/mcp.yaml");
        for word in [client.title(), if row.field == Field::Name { row.name } else { row.field.key() }] {
            assert!(found[0].message.contains(word), "{case}{}", found[0].message);
        }
    } else {
        assert!(found.is_empty(), "{case}{found:?}");
    }
}

#[test]
fn every_key_is_written_or_reported_for_every_client() {
    let rows = rows();
    for row in &rows {
        for (client, expected) in Client::ALL.into_iter().zip(&row.expected) {
            check(row, client, expected);
        }
    }
    let seen: BTreeSet<Field> = rows.iter().map(|row| row.field).collect();
    assert_eq!(seen, BTreeSet::from(Field::ALL), "each key has a row");
    for field in Field::ALL {
        for (at, client) in Client::ALL.into_iter().enumerate() {
            let mut of_field = rows.iter().filter(|row| row.field == field);
            // Every client that lists tools can list none.
            let is_never_written = of_field.clone().all(|row| match &row.expected[at] {
                Is::Without | Is::At("", _) => true,
                Is::At(_, value) => field == Field::Blacklist && *value == json!([]),
                _ => false,
            });
            let is_found = of_field.any(|row| matches!(row.expected[at], Is::Without));
            assert_eq!(
                field.obstacle(client).is_some(),
                is_never_written && is_found,
                "{client:?} {field:?}"
            );
        }
    }
}

#[test]
fn the_keys_match_the_format() {
    let kind = KINDS.iter().find(|kind| kind.name == "mcp").unwrap();
    let schema = Draft::Draft202012.render(&(kind.schema)());
    let keys = |name: &str| -> BTreeSet<String> {
        let definitions =
            schema.get("$defs").and_then(Value::as_object).expect("shared shapes are defined once");
        let server = &definitions["server"]["properties"];
        let object = if name.is_empty() { server } else { &server[name]["properties"] };
        object.as_object().expect("an object has keys").keys().cloned().collect()
    };
    let mut expected = keys("");
    assert!(expected.remove("tools"));
    expected.extend(keys("tools").into_iter().map(|key| format!("tools.{key}")));
    let ours = Field::ALL.into_iter().filter(|field| *field != Field::Name);
    assert_eq!(ours.map(|field| field.key().to_owned()).collect::<BTreeSet<_>>(), expected);
}
