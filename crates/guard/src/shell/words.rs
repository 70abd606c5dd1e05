//! Splits a command line into words, as a POSIX shell does before it expands anything.

/// A word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The text without quotes.
    pub(super) text: String,
    /// Whether part of the word is quoted, so that it is not a keyword, an assignment or a number of a redirection.
    pub(super) is_quoted: bool,
    /// Whether the shell changes the word: it contains a variable, a command, a pattern, a brace or a `~`.
    pub(super) is_expanded: bool,
}

/// A redirection, with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirection {
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) file: Word,
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SimpleCommand {
    pub(super) words: Vec<Word>,
    pub(super) redirections: Vec<Redirection>,
}

/// The simple commands of a command line.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    pub(super) commands: Vec<SimpleCommand>,
    /// Why there are commands that were not found, if so.
    pub(super) unknown: Option<&'static str>,
}

/// The operators, longest first.
const OPERATORS: [&str; 22] = [
    "<<<", "&>>", "<<-", "<<", "<&", "<>", "<(", ">>", ">|", ">&", ">(", "&>", "&&", "||", "|&", ";;", "<",
    ">", "&", "|", ";", "\n",
];

/// Splits a command line.
pub(super) fn split(text: &str) -> CommandLine {
    let mut splitter = Splitter { rest: text, ..Splitter::default() };
    splitter.run();
    splitter.end_command();
    splitter.line
}

#[derive(Default)]
struct Splitter<'t> {
    rest: &'t str,
    line: CommandLine,
    command: SimpleCommand,
    /// The current word, if one has begun.
    word: Option<Word>,
    /// The redirection that the next word completes.
    redirection: Option<(bool, bool, Target)>,
}

/// What the word after a redirection is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    File,
    /// A file, or the number of an open file.
    FileOrNumber,
    /// The input itself.
    Text,
}

impl Splitter<'_> {
    fn unknown(&mut self, reason: &'static str) {
        self.line.unknown.get_or_insert(reason);
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }

    fn run(&mut self) {
        while !self.rest.is_empty() {
            if let Some(operator) = OPERATORS.iter().find(|operator| self.rest.starts_with(**operator)) {
                if !self.operator(operator) {
                    return;
                }
                continue;
            }
            let Some(c) = self.next() else { return };
            match c {
                ' ' | '\t' => self.end_word(),
                '#' if self.word.is_none() => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = self.rest.get(end..).unwrap_or_default();
                }
                '(' | ')' => {
                    self.unknown("it contains a group or a function");
                    self.end_command();
                }
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c) => self.push_quoted(c),
                    None => self.unknown("it ends with a backslash"),
                },
                '\'' => {
                    self.word.get_or_insert_default().is_quoted = true;
                    let Some((quoted, rest)) = self.rest.split_once('\'') else {
                        return self.end_unclosed();
                    };
                    self.word.get_or_insert_default().text.push_str(quoted);
                    self.rest = rest;
                }
                '"' => {
                    if !self.double_quoted() {
                        return self.end_unclosed();
                    }
                }
                '$' | '`' | '*' | '?' | '[' | ']' | '{' | '}' => self.push_expanded(c),
                '~' if self.word.as_ref().is_none_or(|word| word.text.ends_with(['=', ':'])) => {
                    self.push_expanded(c);
                }
                c => self.word.get_or_insert_default().text.push(c),
            }
        }
    }

    /// Ends at a quotation that is not closed. A shell refuses such a command, so its last word is not judged.
    fn end_unclosed(&mut self) {
        self.word = None;
        self.unknown("a quotation is not closed");
    }

    /// Reads up to the closing quotation mark. Returns whether there is one.
    fn double_quoted(&mut self) -> bool {
        self.word.get_or_insert_default().is_quoted = true;
        while let Some(c) = self.next() {
            match c {
                '"' => return true,
                '$' | '`' => self.push_expanded(c),
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c @ ('"' | '\\' | '$' | '`')) => self.push_quoted(c),
                    Some(c) => {
                        self.push_quoted('\\');
                        self.push_quoted(c);
                    }
                    None => return false,
                },
                c => self.push_quoted(c),
            }
        }
        false
    }

    fn push_quoted(&mut self, c: char) {
        let word = self.word.get_or_insert_default();
        word.is_quoted = true;
        word.text.push(c);
    }

    fn push_expanded(&mut self, c: char) {
        let word = self.word.get_or_insert_default();
        word.is_expanded = true;
        word.text.push(c);
    }

    /// Handles an operator. Returns whether the rest can be split.
    fn operator(&mut self, operator: &str) -> bool {
        self.rest = self.rest.get(operator.len()..).unwrap_or_default();
        let redirection = match operator {
            "<" => (true, false, Target::File),
            "<>" => (true, true, Target::File),
            ">" | ">>" | ">|" | "&>" | "&>>" => (false, true, Target::File),
            "<&" => (true, false, Target::FileOrNumber),
            ">&" => (false, true, Target::FileOrNumber),
            "<<<" => (false, false, Target::Text),
            "<<" | "<<-" => {
                self.unknown("it contains a here-document");
                return false;
            }
            "<(" | ">(" => {
                self.unknown("it contains a substitution of a process");
                self.end_command();
                return true;
            }
            _ => {
                self.end_command();
                return true;
            }
        };
        // A number in front of a redirection is that of an open file.
        let is_number = |word: &Word| {
            !word.is_quoted && !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if self.word.as_ref().is_some_and(is_number) && !operator.starts_with('&') {
            self.word = None;
        }
        self.end_word();
        if self.redirection.is_some() {
            self.unknown("a redirection has no file");
        }
        self.redirection = Some(redirection);
        true
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let Some((reads, writes, target)) = self.redirection.take() else {
            return self.command.words.push(word);
        };
        let is_number = word.text == "-" || word.text.bytes().all(|byte| byte.is_ascii_digit());
        match target {
            Target::FileOrNumber if is_number && !word.is_expanded => {}
            Target::Text if word.is_expanded => self.unknown("it contains an expansion"),
            Target::Text => {}
            Target::File | Target::FileOrNumber => {
                self.command.redirections.push(Redirection { reads, writes, file: word });
            }
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if self.redirection.take().is_some() {
            self.unknown("a redirection has no file");
        }
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() || !command.redirections.is_empty() {
            self.line.commands.push(command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[&str]]) {
        let line = split(text);
        let words: Vec<Vec<&str>> = line
            .commands
            .iter()
            .map(|command| command.words.iter().map(|word| word.text.as_str()).collect())
            .collect();
        assert_eq!(words, expected, "{text}");
    }

    #[test]
    fn words_are_split_as_a_shell_does() {
        check("cat a 'b c' \"d e\"f g\\ h", &[&["cat", "a", "b c", "d ef", "g h"]]);
        check("a;b&&c||d|e & f\ng", &[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"]]);
        check("echo x>y 2>/dev/null 2>&1 z # w", &[&["echo", "x", "z"]]);
        check("echo a#b '' \"\"", &[&["echo", "a#b", "", ""]]);
    }

    #[test]
    fn redirections_have_their_files() {
        let line = split("cat <a >>b 2>c &>d <>e >&f >&2 3<&-");
        let files = line.commands[0].redirections.iter();
        let files: Vec<_> = files.map(|one| (one.reads, one.writes, one.file.text.as_str())).collect();
        let (read, write) = ((true, false), (false, true));
        let expected =
            [(read, "a"), (write, "b"), (write, "c"), (write, "d"), ((true, true), "e"), (write, "f")];
        assert_eq!(files, expected.map(|((reads, writes), file)| (reads, writes, file)));
    }

    #[test]
    fn expansions_are_found() {
        for text in ["$a", "\"$a\"", "`a`", "$(a)", "*", "a?", "[a]", "{a,b}", "~", "a=~", "\"`a`\""] {
            assert!(split(text).commands[0].words[0].is_expanded, "{text}");
        }
        for text in ["'$a'", "\\$a", "\"\\$a\"", "a~", "'*'", "\"*\"", "a=b"] {
            let line = split(text);
            assert!(!line.commands[0].words[0].is_expanded, "{text}");
            assert_eq!(line.unknown, None, "{text}");
        }
        for text in ["(a)", "a() b", "cat <<E\na\nE", "cat <(a)", "'a", "\"a", "a\\", "a >", "a > ; b"] {
            assert!(split(text).unknown.is_some(), "{text}");
        }
    }
}
