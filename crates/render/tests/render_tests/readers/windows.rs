//! Tasks, read according to XML, the task schema and `CommandLineToArgvW`.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::Running;

pub(crate) fn read(task: &str) -> Result<Running, String> {
    if !task.is_ascii() {
        return Err("the task depends on its encoding".to_owned());
    }
    let document = Document::parse(task).map_err(|error| error.to_string())?;
    let root = document.root_element();
    let names: Vec<&str> =
        root.children().filter(Node::is_element).map(|node| node.tag_name().name()).collect();
    if names != ["RegistrationInfo", "Triggers", "Principals", "Settings", "Actions"] {
        return Err(format!("a task has {names:?}"));
    }
    let execute: Vec<Node<'_, '_>> =
        root.descendants().filter(|node| node.has_tag_name(name("Exec"))).collect();
    let [execute] = execute.as_slice() else { return Err("there is not one action".to_owned()) };
    let get = |key: &str| {
        let found: Vec<Node<'_, '_>> =
            execute.children().filter(|node| node.has_tag_name(name(key))).collect();
        match found.as_slice() {
            [] => Ok(String::new()),
            [one] if !one.children().any(|child| child.is_element()) => literal(&text(*one)),
            _ => Err(format!("`{key}` is duplicate or not a string")),
        }
    };
    let mut command = vec![get("Command")?];
    command.extend(arguments(&get("Arguments")?)?);
    if command.iter().map(|word| word.encode_utf16().count() + 1).sum::<usize>() > 32_767 {
        return Err("the command line is too long".to_owned());
    }
    let description = root.descendants().find(|node| node.has_tag_name(name("Description"))).map(text);
    Ok(Running { command, directory: get("WorkingDirectory")?, variables: BTreeMap::new(), description })
}

fn name(tag: &str) -> (&'static str, &str) {
    ("http://schemas.microsoft.com/windows/2004/02/mit/task", tag)
}

/// Returns `text` if the scheduler does not expand anything in it.
fn literal(text: &str) -> Result<String, String> {
    if text.contains('%') || text.contains("$(") {
        return Err(format!("a variable may be expanded in `{text}`"));
    }
    Ok(text.to_owned())
}

fn text(node: Node<'_, '_>) -> String {
    node.children().filter_map(|child| child.text()).collect()
}

/// Splits a command line into arguments: backslashes are special only in front of a quote, and each second
/// one is literal.
fn arguments(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut backslashes = 0;
    for c in line.chars() {
        if c == '\\' {
            backslashes += 1;
            word.get_or_insert_default();
            continue;
        }
        let before = std::mem::take(&mut backslashes);
        if c == '"' {
            let word = word.get_or_insert_default();
            word.push_str(&"\\".repeat(before / 2));
            if before % 2 == 1 {
                word.push('"');
            } else {
                is_quoted = !is_quoted;
            }
            continue;
        }
        if before > 0 {
            word.get_or_insert_default().push_str(&"\\".repeat(before));
        }
        if matches!(c, ' ' | '\t') && !is_quoted {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(c);
        }
    }
    if is_quoted {
        return Err("a quote stays open".to_owned());
    }
    if backslashes > 0 {
        word.get_or_insert_default().push_str(&"\\".repeat(backslashes));
    }
    words.extend(word);
    Ok(words)
}
