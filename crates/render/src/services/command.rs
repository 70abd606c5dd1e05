//! The command that runs an agent, with placeholders for what differs between agents.

use super::service::Value;

/// A command with placeholders such as `{project}` for the names and directories of an agent.
///
/// `{{` and `}}` are literal braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    words: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(Placeholder),
}

/// A placeholder in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placeholder {
    /// The id of the project.
    Project,
    /// The id of the agent in its project.
    Agent,
    /// The compose root; for a fleet, the workspace.
    Root,
    /// The directory in which the agent works.
    Cwd,
    /// The environment file of an agent of a compose root.
    EnvFile,
    /// The address of the transport of a fleet.
    RedisUrl,
}

/// Why a command is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The command has no words.
    #[error("the command is empty")]
    Empty,
    /// A brace is unmatched.
    #[error(
        "word {word} of the command has an unmatched `{brace}`; write `{brace}{brace}` for a literal brace"
    )]
    LoneBrace {
        /// The number of the word, from 1.
        word: usize,
        /// The brace.
        brace: char,
    },
    /// The name in braces is not a placeholder.
    #[error(
        "word {word} of the command has the unknown placeholder `{{{}}}`; known are {}",
        .name.escape_debug(),
       placeholder_names(),
    )]
    UnknownPlaceholder {
        /// The number of the word, from 1.
        word: usize,
        /// The name in the braces.
        name: String,
    },
    /// The placeholder is not available for these agents.
    #[error("`{{{name}}}` is not available for {agents}")]
    NotOfThese {
        /// The placeholder.
        name: &'static str,
        /// The kind of agents.
        agents: &'static str,
    },
}

fn placeholder_names() -> String {
    let names: Vec<String> = Placeholder::ALL.iter().map(|known| format!("`{{{}}}`", known.name())).collect();
    names.join(", ")
}

impl Placeholder {
    /// Every placeholder.
    pub const ALL: &[Self] =
        &[Self::Project, Self::Agent, Self::Root, Self::Cwd, Self::EnvFile, Self::RedisUrl];

    /// Returns the name in the braces.
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
    /// Parses the words of a command, the program first.
    ///
    /// # Errors
    ///
    /// Fails if there are no words, or a word has an unknown placeholder or an unmatched brace.
    pub fn parse(words: &[impl AsRef<str>]) -> Result<Self, CommandError> {
        if words.is_empty() {
            return Err(CommandError::Empty);
        }
        let words = words.iter().enumerate().map(|(at, word)| parse_word(at + 1, word.as_ref()));
        Ok(Self { words: words.collect::<Result<_, _>>()? })
    }

    /// Returns whether the command contains `placeholder`.
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

fn parse_word(word: usize, text: &str) -> Result<Vec<Part>, CommandError> {
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

    fn fill_words(words: &[&str]) -> Vec<String> {
        let command = Command::parse(words).unwrap();
        let words = command.fill(|placeholder| format!("<{}>", placeholder.name()));
        words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn placeholders_are_replaced_and_doubled_braces_are_literal() {
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
            assert_eq!(fill_words(&["p", word]), ["p", expected], "{word}");
        }
    }

    #[test]
    fn replacements_are_not_expanded_again() {
        let command = Command::parse(&["{agent}"]).unwrap();
        let words = command.fill(|_| "{project}{{".to_owned());
        assert_eq!(words[0].text, "{project}{{");
    }

    #[test]
    fn unmatched_braces_and_unknown_placeholders_are_refused() {
        let error = |word: &str| Command::parse(&["p", word]).unwrap_err().to_string();
        for (word, expected) in [
            ("{", "word 2 of the command has an unmatched `{`; write `{{` for a literal brace"),
            ("a}b", "word 2 of the command has an unmatched `}`; write `}}` for a literal brace"),
            ("{agent", "word 2 of the command has an unmatched `{`; write `{{` for a literal brace"),
        ] {
            assert_eq!(error(word), expected, "{word}");
        }
        for word in ["{}", "{Agent}", "{ agent }", "{agnt}", "{agent\n}"] {
            assert!(error(word).contains("unknown placeholder"), "{word}");
        }
        assert_eq!(
            error("{agnt}"),
            "word 2 of the command has the unknown placeholder `{agnt}`; known are `{project}`, `{agent}`, `{root}`, \
             `{cwd}`, `{env_file}`, `{redis_url}`"
        );
        let long = error(&format!("{{{}}}", "x".repeat(81)));
        assert!(long.contains(&format!("`{{{}}}`", "x".repeat(80))), "{long}");
        assert_eq!(Command::parse(&[] as &[&str]), Err(CommandError::Empty));
    }
}
