//! Container files, read according to the YAML, Compose and Dockerfile specifications.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use super::Running;

/// The keys of a rendered container; no others are allowed.
const KEYS: &[&str] = &[
    "image",
    "build",
    "entrypoint",
    "command",
    "working_dir",
    "env_file",
    "environment",
    "volumes",
    "depends_on",
    "init",
    "stdin_open",
    "cap_drop",
    "security_opt",
    "restart",
    "stop_grace_period",
];

pub(crate) fn read(
    image: &str,
    compose: &str,
    name: &str,
    file: Option<(&str, &str)>,
) -> Result<Running, String> {
    let compose = expand_variables(parsed(compose)?)?;
    let services = compose["services"].as_object().ok_or("there are no services")?;
    let mut all = services.iter();
    let (Some((only, container)), None) = (all.next(), all.next()) else {
        return Err("there is another service".to_owned());
    };
    let keys = container.as_object().ok_or("a service is not a mapping")?;
    if only != name || keys.keys().any(|key| !KEYS.contains(&key.as_str())) {
        return Err("there is something else".to_owned());
    }
    let list = |value: &Value| -> Result<Vec<String>, String> {
        let items = value.as_array().ok_or("there is no list")?;
        items.iter().map(|item| item.as_str().map(str::to_owned).ok_or("not a string".to_owned())).collect()
    };
    let mut command = match &container["entrypoint"] {
        Value::Null => entrypoint(image)?,
        own => list(own)?,
    };
    command.extend(list(&container["command"])?);
    let mut variables = BTreeMap::new();
    if let Some((path, text)) = file {
        let entry = &container["env_file"][0];
        if entry["path"] != path || entry["format"] != "raw" {
            return Err(format!("the environment is {entry}"));
        }
        let lines = text.split_terminator('\n');
        if lines.clone().any(|line| line.len() >= 65_535) {
            return Err("a line of the environment is too long".to_owned());
        }
        let lines = lines.filter_map(|line| line.split_once('='));
        variables.extend(lines.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }
    for (key, value) in container["environment"].as_object().into_iter().flatten() {
        variables.insert(key.clone(), value.as_str().ok_or("a variable is not a string")?.to_owned());
    }
    let directory = container["working_dir"].as_str().ok_or("there is no directory")?.to_owned();
    let mounted = &container["volumes"][0];
    if mounted["type"] != "bind" || mounted["source"] != directory || mounted["target"] != directory {
        return Err(format!("the first mount is {mounted}"));
    }
    Ok(Running { command, directory, variables, description: None })
}

/// Returns the program of a Dockerfile, which must have only rendered instructions.
fn entrypoint(image: &str) -> Result<Vec<String>, String> {
    let mut found = None;
    for line in image.split_terminator('\n') {
        if line.len() > 65_535 || line.ends_with('\\') {
            return Err("a line is too long, or goes on".to_owned());
        }
        let (instruction, rest) = line.split_once(' ').ok_or("an instruction says nothing")?;
        match instruction {
            "#" | "ARG" | "FROM" | "RUN" | "ENV" | "USER" => {}
            "ENTRYPOINT" if found.is_none() => {
                found = Some(serde_json::from_str(rest).map_err(|error| error.to_string())?);
            }
            other => return Err(format!("there is another instruction `{other}`")),
        }
    }
    found.ok_or("there is no program".to_owned())
}

/// Returns a value with its variables replaced by their defaults. Other variables are errors.
fn expand_variables(value: Value) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => {
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some((before, after)) = rest.split_once('$') {
                out.push_str(before);
                if let Some(after) = after.strip_prefix('$') {
                    out.push('$');
                    rest = after;
                    continue;
                }
                let inside = after.strip_prefix('{').and_then(|inside| inside.split_once('}'));
                let (variable, after) =
                    inside.ok_or_else(|| format!("a variable is expanded in `{text}`"))?;
                let (name, default) = variable.split_once(":-").ok_or("a variable has no default")?;
                if !["BASE_IMAGE", "AGENT_UID", "AGENT_GID"].contains(&name) {
                    return Err(format!("`{name}` is replaced"));
                }
                out.push_str(default);
                rest = after;
            }
            out.push_str(rest);
            Value::String(out)
        }
        Value::Array(items) => {
            items.into_iter().map(expand_variables).collect::<Result<_, _>>().map(Value::Array)?
        }
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| Ok((key, expand_variables(value)?)));
            Value::Object(entries.collect::<Result<_, String>>()?)
        }
        other => other,
    })
}

/// Parses YAML into strings, lists and mappings. Strings other than keys must be quoted, because versions of
/// YAML read other types from different plain scalars.
fn parsed(text: &str) -> Result<Value, String> {
    // Some parsers treat these as line breaks, or ignore them.
    if text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']) {
        return Err("a character is read differently by different parsers".to_owned());
    }
    let mut events = Parser::new_from_str(text).map(|event| event.map(|(event, _)| event));
    loop {
        match events.next().ok_or("there is no document")?.map_err(|error| error.to_string())? {
            Event::DocumentStart(_) => break,
            Event::StreamStart | Event::Nothing => {}
            other => return Err(format!("{other:?}")),
        }
    }
    let first = events.next().ok_or("there is nothing")?.map_err(|error| error.to_string())?;
    let mut next =
        || events.next().ok_or("the end is missing".to_owned())?.map_err(|error| error.to_string());
    let value = node(first, &mut next)?;
    match next()? {
        Event::DocumentEnd => Ok(value),
        other => Err(format!("{other:?}")),
    }
}

fn node<'t>(event: Event<'t>, next: &mut dyn FnMut() -> Result<Event<'t>, String>) -> Result<Value, String> {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, ..) if text != "true" && text.parse::<u8>().is_err() => {
            Err(format!("`{text}` is not quoted"))
        }
        Event::Scalar(text, ..) => Ok(Value::String(text.into_owned())),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match next()? {
                    Event::SequenceEnd => return Ok(Value::Array(items)),
                    event => items.push(node(event, next)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut entries = Map::new();
            loop {
                let key = match next()? {
                    Event::MappingEnd => return Ok(Value::Object(entries)),
                    Event::Scalar(text, ..) => text.into_owned(),
                    _ => return Err("a key is not a string".to_owned()),
                };
                let event = next()?;
                if entries.insert(key, node(event, next)?).is_some() {
                    return Err("duplicate key".to_owned());
                }
            }
        }
        other => Err(format!("{other:?}")),
    }
}
