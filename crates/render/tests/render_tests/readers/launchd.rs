//! Property lists, read according to XML and `launchd.plist(5)`.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::Running;

const KEYS: &[&str] = &[
    "Label",
    "ProgramArguments",
    "WorkingDirectory",
    "EnvironmentVariables",
    "RunAtLoad",
    "KeepAlive",
    "ThrottleInterval",
    "ExitTimeOut",
];

/// The shell script that reads the environment file and then executes the command.
const READS_ENVIRONMENT: [&str; 4] = [
    "/bin/sh",
    "-c",
    "while IFS= read -r line; do export \"$line\"; done <\"$1\" || exit; shift; exec \"$@\"",
    "sh",
];

pub(crate) fn read(list: &str, file: Option<(&str, &str)>) -> Result<Running, String> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(list, options).map_err(|error| error.to_string())?;
    let root = document.root_element();
    let dictionary = root.first_element_child().ok_or("there is no dictionary")?;
    if root.tag_name().name() != "plist" || root.children().filter(Node::is_element).count() != 1 {
        return Err("there is something else".to_owned());
    }
    let entries = pairs(dictionary)?;
    if entries.keys().any(|key| !KEYS.contains(&key.as_str())) {
        return Err("there is another entry".to_owned());
    }
    let get = |key: &str| entries.get(key).copied();
    let mut command = Vec::new();
    for word in get("ProgramArguments").ok_or("nothing is run")?.children().filter(Node::is_element) {
        command.push(string(word)?);
    }
    let mut variables = BTreeMap::new();
    if let Some(node) = get("EnvironmentVariables") {
        for (key, value) in pairs(node)? {
            variables.insert(key, string(value)?);
        }
    }
    if let Some((path, text)) = file {
        let (shell, rest) = command.split_at_checked(READS_ENVIRONMENT.len()).ok_or("there is no shell")?;
        let (read, rest) = rest.split_first().ok_or("no file is read")?;
        if shell != READS_ENVIRONMENT || read != path {
            return Err("the shell does something else".to_owned());
        }
        // Each line is one variable.
        let lines = text.split_terminator('\n').filter_map(|line| line.split_once('='));
        variables.extend(lines.map(|(key, value)| (key.to_owned(), value.to_owned())));
        command = rest.to_vec();
    }
    let directory = string(get("WorkingDirectory").ok_or("there is no directory")?)?;
    Ok(Running { command, directory, variables, description: None })
}

fn pairs<'a, 'd>(dictionary: Node<'a, 'd>) -> Result<BTreeMap<String, Node<'a, 'd>>, String> {
    let mut found = BTreeMap::new();
    let mut elements = dictionary.children().filter(Node::is_element);
    while let Some(key) = elements.next() {
        let value = elements.next().ok_or("a key has no value")?;
        let name = text(key);
        if key.tag_name().name() != "key" || found.insert(name, value).is_some() {
            return Err("a key is duplicate or missing".to_owned());
        }
    }
    Ok(found)
}

fn string(node: Node<'_, '_>) -> Result<String, String> {
    let is_string = node.tag_name().name() == "string" && !node.children().any(|child| child.is_element());
    if is_string { Ok(text(node)) } else { Err("a value is not a string".to_owned()) }
}

fn text(node: Node<'_, '_>) -> String {
    node.children().filter_map(|child| child.text()).collect()
}
