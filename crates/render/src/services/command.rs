//! The command that runs an agent, with places for what differs between agents.

use super::service::Value;

/// A command in which `{project}` and the like stand for what an agent is called and where it runs.
///
/// `{{` and `}}` stand for braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    words: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(Placeholder),
}

/// What can be said in a command instead of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placeholder {
    /// The id of the project.
    Project,
    /// The id of the agent in its project.
    Agent,
    /// The compose root; of a fleet the workspace.
    Root,
    /// The directory in which the agent works.
    Cwd,
    /// The file with the environment of an agent of a compose root.
    EnvFile,
    /// The address of the transport of a fleet.
    RedisUrl,
}

/// Why words are no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is no word.
    #[error("the command is empty")]
    Empty,
    /// A brace has no other one.
    #[error(
        "word {word} of the command has a lone `{brace}`; write `{brace}{brace}` for one that stands for itself"
    )]
    LoneBrace {
        /// Which word, from 1.
        word: usize,
        /// The brace.
        brace: char,
    },
    /// What stands in braces is no placeholder.
    #[error(
        "word {word} of the command has the unknown placeholder `{{{}}}`; there are {}",
        .name.escape_debug(),
        known(),
    )]
    UnknownPlaceholder {
        /// Which word, from 1.
        word: usize,
        /// What stands in the braces.
        name: String,
    },
    /// Agents of this kind have no such thing.
    #[error("`{{{name}}}` is not known of {agents}")]
    NotOfThese {
        /// The placeholder.
        name: &'static str,
        /// Which agents.
        agents: &'static str,
    },
}

fn known() -> String {
    let names: Vec<String> = Placeholder::ALL.iter().map(|known| format!("`{{{}}}`", known.name())).collect();
    names.join(", ")
}

impl Placeholder {
    /// Every placeholder.
    pub const ALL: &[Self] =
        &[Self::Project, Self::Agent, Self::Root, Self::Cwd, Self::EnvFile, Self::RedisUrl];

    /// Returns the name, which stands in braces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Agent => "agent",
            Self::Root => "root",
            Self::Cwd => "cwd",
            Self::EnvFile => "env_file",
            Self::RedisUrl => "redis_url",
        }
    }
}

impl Command {
    /// Reads the words of a command, the program first.
    ///
    /// # Errors
    ///
    /// Fails if there is no word, or one has an unknown placeholder or a brace alone.
    pub fn parse(words: &[impl AsRef<str>]) -> Result<Self, CommandError> {
        if words.is_empty() {
            return Err(CommandError::Empty);
        }
        let words = words.iter().enumerate().map(|(at, word)| parts(at + 1, word.as_ref()));
        Ok(Self { words: words.collect::<Result<_, _>>()? })
    }

    /// Returns whether a placeholder is used.
    pub fn uses(&self, placeholder: Placeholder) -> bool {
        self.words.iter().flatten().any(|part| *part == Part::Placeholder(placeholder))
    }

    /// Returns the words with the placeholders replaced.
    pub fn fill(&self, replace: impl Fn(Placeholder) -> String) -> Vec<Value> {
        let words = self.words.iter().enumerate().map(|(at, parts)| {
            let text: String = parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => text.clone(),
                    Part::Placeholder(placeholder) => replace(*placeholder),
                })
                .collect();
            let name =
                if at == 0 { "the program".to_owned() } else { format!("argument {at} of the command") };
            Value::new(name, text)
        });
        words.collect()
    }
}

fn parts(word: usize, text: &str) -> Result<Vec<Part>, CommandError> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        literal.push_str(before);
        if let Some(after) = brace.strip_prefix("{{") {
            literal.push('{');
            rest = after;
        } else if let Some(after) = brace.strip_prefix("}}") {
            literal.push('}');
            rest = after;
        } else if let Some((name, after)) = brace.strip_prefix('{').and_then(|inside| inside.split_once('}'))
        {
            let placeholder = Placeholder::ALL.iter().copied().find(|known| known.name() == name);
            let unknown = || CommandError::UnknownPlaceholder { word, name: name.chars().take(80).collect() };
            let placeholder = placeholder.ok_or_else(unknown)?;
            parts.extend((!literal.is_empty()).then(|| Part::Text(std::mem::take(&mut literal))));
            parts.push(Part::Placeholder(placeholder));
            rest = after;
        } else {
            let brace = if brace.starts_with('{') { '{' } else { '}' };
            return Err(CommandError::LoneBrace { word, brace });
        }
    }
    literal.push_str(rest);
    parts.extend((!literal.is_empty()).then_some(Part::Text(literal)));
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(words: &[&str]) -> Vec<String> {
        let command = Command::parse(words).unwrap();
        let words = command.fill(|placeholder| format!("<{}>", placeholder.name()));
        words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn placeholders_are_replaced_and_doubled_braces_stand_for_braces() {
        for (word, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("{project}", "<project>"),
            ("{project}/{agent}", "<project>/<agent>"),
            ("{{project}}", "{project}"),
            ("{{{agent}}}", "{<agent>}"),
            ("{{\"a\": \"{cwd}\"}}", "{\"a\": \"<cwd>\"}"),
            ("x{root}y{env_file}z{redis_url}", "x<root>y<env_file>z<redis_url>"),
        ] {
            assert_eq!(filled(&["p", word]), ["p", expected], "{word}");
        }
    }

    #[test]
    fn what_is_replaced_is_not_looked_at_again() {
        let command = Command::parse(&["{agent}"]).unwrap();
        let words = command.fill(|_| "{project}{{".to_owned());
        assert_eq!(words[0].text, "{project}{{");
    }

    #[test]
    fn other_braces_are_refused() {
        let error = |word: &str| Command::parse(&["p", word]).unwrap_err().to_string();
        for (word, expected) in [
            ("{", "word 2 of the command has a lone `{`; write `{{` for one that stands for itself"),
            ("a}b", "word 2 of the command has a lone `}`; write `}}` for one that stands for itself"),
            ("{agent", "word 2 of the command has a lone `{`; write `{{` for one that stands for itself"),
        ] {
            assert_eq!(error(word), expected, "{word}");
        }
        for word in ["{}", "{Agent}", "{ agent }", "{agnt}", "{agent\n}"] {
            assert!(error(word).contains("unknown placeholder"), "{word}");
        }
        assert_eq!(
            error("{agnt}"),
            "word 2 of the command has the unknown placeholder `{agnt}`; there are `{project}`, `{agent}`, `{root}`, \
             `{cwd}`, `{env_file}`, `{redis_url}`"
        );
        let long = error(&format!("{{{}}}", "x".repeat(81)));
        assert!(long.contains(&format!("`{{{}}}`", "x".repeat(80))), "{long}");
        assert_eq!(Command::parse(&[] as &[&str]), Err(CommandError::Empty));
    }
}
