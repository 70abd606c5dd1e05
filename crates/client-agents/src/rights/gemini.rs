//! Access lists as rules of a policy file of Gemini CLI for one agent.

use minds_access_control::{Access, ListKind, Pattern, Policy};
use minds_clients::permissions::{Effect, GeminiRule};

use super::{Hands, Obstacle, Translation, entries, expand, extensions, find_unreadable, limits, loss};

/// The maximum number of `**` in an entry whose forms are written one by one.
const MAX_ANY: usize = 2;
/// The spellings of a path that name a file in another way: they are denied.
const SPELLINGS: [&str; 7] = [
    r#"_path":"[^"]*/\.\.?[/"]"#,
    r#"_path":"\.\.?[/"]"#,
    r#"_path":"[^"]*//"#,
    r#"_path":"[^"]*\\"#,
    r#"_path":"[^"]*/""#,
    r#"_path":"/"#,
    r#"_path":"~"#,
];

mod priority {
    //! The highest number wins.
    pub(super) const SPELLING: u16 = 900;
    pub(super) const RESERVED: u16 = 800;
    pub(super) const DENIED: u16 = 700;
    pub(super) const ALLOWED: u16 = 500;
    pub(super) const OTHERWISE: u16 = 100;
}

/// Returns the rules for one agent.
///
/// # Errors
///
/// Returns the list that cannot be read.
pub fn translate(
    policy: &Policy,
    hands: Hands,
    agent: &str,
) -> Result<Translation<Vec<GeminiRule>>, Obstacle> {
    if let Some(obstacle) = find_unreadable(policy, hands) {
        return Err(obstacle);
    }
    let mut made = Translation::default();
    for access in Access::ALL.into_iter().filter(|access| hands.has(*access)) {
        let tools: &[&str] = match access {
            Access::Read => &["read_file", "list_directory"],
            Access::Write => &["write_file", "replace"],
        };
        Rules { policy, access, agent, tools, made: &mut made }.add();
    }
    Ok(made)
}

struct Rules<'r> {
    policy: &'r Policy,
    access: Access,
    agent: &'r str,
    tools: &'r [&'r str],
    made: &'r mut Translation<Vec<GeminiRule>>,
}

impl Rules<'_> {
    fn add(&mut self) {
        for spelling in SPELLINGS {
            self.rule(Some(spelling.to_owned()), Effect::Deny, priority::SPELLING);
        }
        self.add_reserved();
        for (index, entry) in entries(self.policy, self.access, ListKind::Deny).iter().enumerate() {
            if let Some(patterns) = patterns(entry, fold) {
                for pattern in patterns {
                    self.rule(Some(close(&pattern)), Effect::Deny, priority::DENIED);
                }
            } else {
                let reason = "the entry has so many `**` that everything is denied";
                self.made.losses.push(loss(self.access, ListKind::Deny, Some(index), reason));
                self.rule(None, Effect::Deny, priority::DENIED);
            }
        }
        for (_, extension) in extensions(self.policy, self.access, ListKind::DenyExtension) {
            let pattern = format!(r#"_path":"[^"]*\.{}""#, fold(extension));
            self.rule(Some(pattern), Effect::Deny, priority::DENIED);
        }
        self.add_allowed();
        self.rule(None, Effect::Deny, priority::OTHERWISE);
    }

    fn add_reserved(&mut self) {
        let mut reserved = vec![format!(r#"_path":"[^"]*\.{}[/"]"#, fold("tsk"))];
        if self.access == Access::Write {
            reserved.push(format!(r#"_path":"{}[/"]"#, fold(".minds")));
            reserved.push(format!(r#"_path":"{}[/"]"#, fold(".gemini")));
            reserved.push(format!(r#"_path":"{}[/"]"#, fold(".git")));
            reserved.push(format!(r#"_path":"[^"]*/{}[/"]"#, fold(".git")));
        }
        for pattern in reserved {
            self.rule(Some(pattern), Effect::Deny, priority::RESERVED);
        }
    }

    fn add_allowed(&mut self) {
        let mut scopes = Vec::new();
        for (index, entry) in entries(self.policy, self.access, ListKind::Allow).iter().enumerate() {
            if let Some(patterns) = patterns(entry, escape) {
                scopes.extend(patterns);
            } else {
                let reason = "the entry has too many `**`, so it is left out";
                self.made.losses.push(loss(self.access, ListKind::Allow, Some(index), reason));
            }
        }
        if !limits(self.policy, self.access, ListKind::Allow) {
            scopes.push("_path\":\"".to_owned());
        }
        if !limits(self.policy, self.access, ListKind::AllowExtension) {
            for scope in scopes {
                self.rule(Some(close(&scope)), Effect::Allow, priority::ALLOWED);
            }
            return;
        }
        let reason = "files without an extension are left out";
        self.made.losses.push(loss(self.access, ListKind::AllowExtension, None, reason));
        for (_, extension) in extensions(self.policy, self.access, ListKind::AllowExtension) {
            for scope in &scopes {
                let below = if scope.ends_with('"') { "" } else { "/" };
                let pattern = format!(r#"{scope}{below}[^"]*\.{}""#, fold(extension));
                self.rule(Some(pattern), Effect::Allow, priority::ALLOWED);
            }
        }
    }

    fn rule(&mut self, arguments: Option<String>, effect: Effect, priority: u16) {
        let tools = self.tools.iter().map(|tool| (*tool).to_owned()).collect();
        let agent = Some(self.agent.to_owned());
        self.made.permissions.push(GeminiRule { tools, agent, arguments, effect, priority });
    }
}

/// Returns regular expressions for the scope of an entry, without its end; none if there would be too many.
///
/// The client drops a pattern that repeats a group, so none has a group.
fn patterns(entry: &Pattern, spell: fn(&str) -> String) -> Option<Vec<String>> {
    let ways = expand(entry, MAX_ANY)?;
    let join = |way: Vec<Option<&str>>| {
        let names: Vec<String> =
            way.into_iter().map(|name| name.map_or_else(|| "[^\"]*".to_owned(), spell)).collect();
        format!("_path\":\"{}", names.join("/"))
    };
    Some(ways.into_iter().map(join).collect())
}

/// Adds the end of a scope to a pattern: of a path, or of a directory on it. The whole workspace has no end.
fn close(pattern: &str) -> String {
    if pattern.ends_with('"') { pattern.to_owned() } else { format!("{pattern}[/\"]") }
}

/// Writes a name as a regular expression; `*` stands for any characters of the name.
fn escape(name: &str) -> String {
    let mut pattern = String::new();
    for character in name.chars() {
        add_escaped(&mut pattern, character);
    }
    pattern
}

/// Writes a name as a regular expression for all letter cases.
fn fold(name: &str) -> String {
    let mut pattern = String::new();
    for character in name.chars() {
        let mut cases: Vec<char> =
            [character].into_iter().chain(character.to_lowercase()).chain(character.to_uppercase()).collect();
        // The two letters outside of ASCII that are equal to one of it.
        match character.to_ascii_lowercase() {
            's' => cases.push('\u{17f}'),
            'k' => cases.push('\u{212a}'),
            _ => {}
        }
        cases.sort_unstable();
        cases.dedup();
        match cases.as_slice() {
            [only] => add_escaped(&mut pattern, *only),
            // A letter whose other case has several letters.
            _ if character.to_uppercase().count() > 1 => pattern.push_str("[^\"/]*"),
            many => {
                pattern.push('[');
                pattern.extend(many);
                pattern.push(']');
            }
        }
    }
    pattern
}

fn add_escaped(pattern: &mut String, character: char) {
    match character {
        '*' => pattern.push_str("[^\"/]*"),
        // In JSON it is written with a backslash, and such spellings are denied.
        '"' => pattern.push_str("\\\\\""),
        '.' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' | '|' | '\\' | '/' => {
            pattern.push('\\');
            pattern.push(character);
        }
        other => pattern.push(other),
    }
}
