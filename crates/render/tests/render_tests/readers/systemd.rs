//! Units, read according to `systemd.syntax(7)`, `systemd.service(5)`, `systemd.exec(5)` and
//! `systemd.unit(5)`.

use std::collections::BTreeMap;

use super::Running;

const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The keys of a rendered unit, each once; no others are allowed.
const KEYS: &[&str] = &[
    "Description",
    "Wants",
    "After",
    "Type",
    "User",
    "WorkingDirectory",
    "EnvironmentFile",
    "Environment",
    "ExecStart",
    "Restart",
    "RestartSec",
    "RestartPreventExitStatus",
    "KillMode",
    "TimeoutStopSec",
    "NoNewPrivileges",
    "WantedBy",
];

pub(crate) fn read(unit: &str, file: Option<(&str, &str)>) -> Result<Running, String> {
    let entries = entries(unit)?;
    let get = |key: &str| entries.get(key).map(String::as_str);
    let want = |key: &str| get(key).ok_or_else(|| format!("there is no `{key}`"));
    let directory = expand_specifiers(want("WorkingDirectory")?)?;
    absolute(&directory)?;
    let mut variables = BTreeMap::new();
    if let Some((path, text)) = file {
        let pattern = expand_specifiers(want("EnvironmentFile")?)?;
        absolute(&pattern)?;
        if match_pattern(&pattern)? != path {
            return Err(format!("`{pattern}` is not the file `{path}`"));
        }
        variables.extend(environment_file(text));
    }
    if let Some(line) = get("Environment") {
        for word in words(line)? {
            let word = expand_specifiers(&word)?;
            let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` assigns nothing"))?;
            variables.insert(key.to_owned(), value.to_owned());
        }
    }
    Ok(Running {
        command: command(want("ExecStart")?)?,
        directory,
        variables,
        description: Some(expand_specifiers(want("Description")?)?),
    })
}

/// Returns the entries of all sections.
fn entries(unit: &str) -> Result<BTreeMap<String, String>, String> {
    let is_noncharacter =
        |c: char| matches!(u32::from(c), 0xfdd0..=0xfdef) || u32::from(c) & 0xfffe == 0xfffe;
    if unit.contains(is_noncharacter) {
        return Err("the unit is not valid UTF-8 for systemd".to_owned());
    }
    let mut entries = BTreeMap::new();
    let mut joined = String::new();
    for line in unit.split(['\n', '\r', '\0']) {
        joined.push_str(line);
        if joined.len() >= 1 << 20 {
            return Err("a line is too long".to_owned());
        }
        if let Some(before) = joined.strip_suffix('\\') {
            joined = format!("{before} ");
            continue;
        }
        let line = std::mem::take(&mut joined);
        let line = line.trim_matches(WHITE_SPACE);
        if line.is_empty() || line.starts_with(['#', ';', '[']) {
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(|| format!("`{line}` is not an entry"))?;
        let key = key.trim_matches(WHITE_SPACE);
        if !KEYS.contains(&key) || entries.contains_key(key) {
            return Err(format!("there is another entry `{key}`"));
        }
        entries.insert(key.to_owned(), value.trim_matches(WHITE_SPACE).to_owned());
    }
    Ok(entries)
}

/// Returns a string with `%%` replaced. Other specifiers are errors.
fn expand_specifiers(text: &str) -> Result<String, String> {
    let mut signs = text.chars();
    let mut out = String::new();
    while let Some(c) = signs.next() {
        match c {
            '%' if signs.next() == Some('%') => out.push('%'),
            '%' => return Err(format!("a specifier is replaced in `{text}`")),
            c => out.push(c),
        }
    }
    Ok(out)
}

fn absolute(path: &str) -> Result<(), String> {
    let is_odd = |segment: &str| segment == ".." || segment.len() > 255;
    if !path.starts_with('/') || path.len() > 4_095 || path.split('/').any(is_odd) {
        return Err(format!("`{path}` is not a valid path that systemd takes"));
    }
    // systemd would normalize the path.
    let inside = path.trim_start_matches('/').trim_end_matches('/');
    if !inside.is_empty() && inside.split('/').any(|segment| matches!(segment, "" | ".")) {
        return Err(format!("`{path}` becomes another path"));
    }
    Ok(())
}

/// Returns the only path that a pattern matches.
fn match_pattern(pattern: &str) -> Result<String, String> {
    let signs: Vec<char> = pattern.chars().collect();
    let (mut out, mut at) = (String::new(), 0);
    while let Some(c) = signs.get(at) {
        match (c, signs.get(at + 1), signs.get(at + 2)) {
            ('[', Some(only), Some(']')) if *only != '!' && *only != '^' => {
                out.push(*only);
                at += 3;
                continue;
            }
            ('[' | '*' | '?' | '\\', ..) => return Err(format!("`{pattern}` stands for several files")),
            (c, ..) => out.push(*c),
        }
        at += 1;
    }
    Ok(out)
}

/// Returns the words of a list: quotes join, and backslashes escape as in C.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut signs = line.chars();
    while let Some(c) = signs.next() {
        match (c, quote) {
            ('\\', _) => {
                let next = signs.next().ok_or("a backslash ends the line")?;
                let meant = match next {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    's' => ' ',
                    '\\' | '"' | '\'' => next,
                    other => return Err(format!("`\\{other}` is another sign")),
                };
                word.get_or_insert_default().push(meant);
            }
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if WHITE_SPACE.contains(&c) => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote stays open".to_owned());
    }
    words.extend(word);
    Ok(words)
}

/// Returns whether a word is a bare semicolon. In quotes or as part of a word it has no special meaning.
fn has_separator(line: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| WHITE_SPACE.contains(&c));
    let (mut quote, mut before) = (None, None);
    let mut signs = line.chars().peekable();
    while let Some(c) = signs.next() {
        match (c, quote) {
            ('\\', _) => drop(signs.next()),
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            (';', None) if is_end(before) && is_end(signs.peek().copied()) => return true,
            _ => {}
        }
        before = Some(c);
    }
    false
}

#[test]
fn only_a_bare_semicolon_ends_a_command() {
    for line in ["a ; b", "; a", "a \"b\" ;", "a ';' ; b", "a\t;\tb"] {
        assert!(has_separator(line), "{line}");
    }
    for line in ["a \" ; \" b", "a ' ; ' b", "a \\; b", "a ;b", "a; b", "a \"; b\"", "a \"\\\" ; \" b"] {
        assert!(!has_separator(line), "{line}");
    }
}

fn command(line: &str) -> Result<Vec<String>, String> {
    if has_separator(line) {
        return Err("another command begins".to_owned());
    }
    let mut words = words(line)?.into_iter();
    let program = words.next().ok_or("there is no program")?;
    if program.starts_with(['@', '-', ':', '+', '!', '|']) {
        return Err("the program has a prefix".to_owned());
    }
    let program = expand_specifiers(&program)?;
    if program.contains(['"', '\'', '\\', '$']) || program.contains(|c: char| c < ' ' || c == '\u{7f}') {
        return Err(format!("the program `{program}` is rejected or has a prefix"));
    }
    if program.contains('/') {
        absolute(&program)?;
    }
    if program.is_empty() || program.ends_with('/') || program == "." || program == ".." {
        return Err("the program is a directory".to_owned());
    }
    let arguments = words.map(|word| expand_variables(&expand_specifiers(&word)?));
    [Ok(program)].into_iter().chain(arguments).collect()
}

/// Returns a word with `$$` replaced. Variables are errors.
fn expand_variables(word: &str) -> Result<String, String> {
    let mut signs = word.chars().peekable();
    let mut out = String::new();
    while let Some(c) = signs.next() {
        match (c, signs.peek()) {
            ('$', Some('$')) => {
                signs.next();
                out.push('$');
            }
            ('$', Some(next)) if *next == '{' || next.is_ascii_alphabetic() || *next == '_' => {
                return Err(format!("a variable is replaced in `{word}`"));
            }
            (c, _) => out.push(c),
        }
    }
    Ok(out)
}

/// Reads an environment file.
fn environment_file(text: &str) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    let mut signs = text.chars().peekable();
    while signs.peek().is_some() {
        let key: String = signs.by_ref().take_while(|c| *c != '=').collect();
        let mut value = String::new();
        let mut kept = 0;
        let mut is_begun = false;
        while let Some(c) = signs.next() {
            match c {
                '\n' | '\r' => break,
                '\\' => {
                    value.extend(signs.next().filter(|next| *next != '\n'));
                    kept = value.len();
                    is_begun = true;
                }
                '"' | '\'' if !is_begun => {
                    value.extend(signs.by_ref().take_while(|inside| *inside != c));
                    kept = value.len();
                }
                c if WHITE_SPACE.contains(&c) && !is_begun => {}
                c => {
                    is_begun = true;
                    value.push(c);
                    if !WHITE_SPACE.contains(&c) {
                        kept = value.len();
                    }
                }
            }
        }
        value.truncate(kept);
        variables.push((key, value));
    }
    variables
}
