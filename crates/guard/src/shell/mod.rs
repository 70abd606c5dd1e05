//! Judges command lines of POSIX shells as far as their paths can be known.
//!
//! A command line is split as a shell does. Words that the shell expands, keywords, programs and options that are not in
//! [`programs`] make it unknown which files are touched; what is known is judged nevertheless, so that a part that is denied
//! denies the command line.

mod options;
mod programs;
mod words;

use crate::Action;
use options::Arguments;
use programs::Operands;
use words::{SimpleCommand, Word};

/// The verdict about command lines of which it is not known which files they touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShellPolicy {
    /// The access lists do not object.
    Allow,
    /// A person should decide. A client that cannot ask denies if the member has any access list.
    #[default]
    Ask,
    /// They are denied.
    Deny,
}

/// What a command line does.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    /// The actions, each with its working directory.
    pub(crate) actions: Vec<(Option<String>, Action)>,
    /// Why further files may be touched, if so.
    pub(crate) unknown: Option<String>,
}

/// The maximum number of directories in which a command may run, because it is not known whether a `cd` succeeds.
const MAX_DIRECTORIES: usize = 8;
/// The maximum number of nested shells.
const MAX_DEPTH: usize = 3;
/// The maximum number of actions.
const MAX_ACTIONS: usize = 10_000;
/// Words that begin a compound command, and may precede a simple one.
const KEYWORDS: [&str; 19] = [
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];
/// Files that are not in the workspace, but open files of the process.
const STREAMS: [&str; 4] = ["/dev/null", "/dev/stderr", "/dev/stdin", "/dev/stdout"];

/// Analyzes a command line that runs in `directory`. `is_directory` returns whether a path in a directory is a directory.
pub(crate) fn analyze(
    command: &str,
    directory: Option<&str>,
    is_directory: &dyn Fn(&str, &str) -> bool,
) -> Analysis {
    let directories = vec![directory.map(str::to_owned)];
    let mut analyzer =
        Analyzer { analysis: Analysis::default(), directories, is_directory, has_moved: false };
    analyzer.command_line(command, 0);
    analyzer.analysis
}

struct Analyzer<'a> {
    analysis: Analysis,
    directories: Vec<Option<String>>,
    is_directory: &'a dyn Fn(&str, &str) -> bool,
    /// Whether a preceding command moved or linked files, so that later paths can lead to files that were elsewhere.
    has_moved: bool,
}

impl Analyzer<'_> {
    fn unknown(&mut self, reason: impl Into<String>) {
        if self.analysis.unknown.is_none() {
            self.analysis.unknown = Some(reason.into());
        }
    }

    /// Adds an action in every possible working directory.
    fn add(&mut self, action: impl Fn(Option<&str>) -> Action) {
        if self.analysis.actions.len() >= MAX_ACTIONS {
            return self.unknown("it has too many parts");
        }
        if self.has_moved {
            self.unknown("a preceding command moves or links files");
        }
        for directory in &self.directories {
            self.analysis.actions.push((directory.clone(), action(directory.as_deref())));
        }
    }

    fn command_line(&mut self, text: &str, depth: usize) {
        let line = words::split(text);
        if let Some(reason) = line.unknown {
            self.unknown(reason);
        }
        for command in &line.commands {
            self.command(command, depth);
        }
    }

    fn command(&mut self, command: &SimpleCommand, depth: usize) {
        for redirection in &command.redirections {
            let file = &redirection.file;
            if file.is_expanded {
                self.unknown("a redirection contains an expansion");
            } else if !STREAMS.contains(&file.text.as_str()) {
                if redirection.reads {
                    self.add(|_| Action::Read { path: file.text.clone() });
                }
                if redirection.writes {
                    self.add(|_| Action::Write { path: file.text.clone() });
                }
            }
        }
        let mut words = command.words.as_slice();
        while let [first, rest @ ..] = words
            && !first.is_quoted
            && (KEYWORDS.contains(&first.text.as_str()) || is_assignment(&first.text))
        {
            self.unknown("it contains a keyword or sets a variable");
            words = rest;
        }
        let Some((name, arguments)) = words.split_first() else { return };
        let program = if name.is_expanded { None } else { programs::find(&name.text) };
        let Some(program) = program else {
            return self.unknown(format!("the program {} is not known", crate::judge::quote(&name.text)));
        };
        if arguments.iter().any(|argument| argument.is_expanded) {
            self.unknown("an argument contains an expansion");
        }
        let arguments = match Arguments::parse(program, arguments) {
            Ok(arguments) => arguments,
            Err(option) => {
                let option = crate::judge::quote(option);
                self.unknown(format!(
                    "the option {option} of {} is not known",
                    crate::judge::quote(&name.text)
                ));
                Arguments::of_operands(arguments)
            }
        };
        self.operands(program.operands, &arguments, depth);
    }

    fn operands(&mut self, kind: Operands, arguments: &Arguments<'_>, depth: usize) {
        let operands = arguments.operands.as_slice();
        let here = [Word { text: ".".to_owned(), ..Word::default() }];
        let here: Vec<&Word> = here.iter().collect();
        let or_here = if operands.is_empty() { here.as_slice() } else { operands };
        let after_first = operands.get(usize::from(!arguments.has_script)..).unwrap_or_default();
        let read: fn(String) -> Action = if arguments.is_recursive {
            |path| Action::Search { path }
        } else {
            |path| Action::Read { path }
        };
        match kind {
            Operands::Text => {}
            Operands::Read => self.each(operands, read),
            Operands::List => self.each(or_here, read),
            Operands::Search => self.each(or_here, |path| Action::Search { path }),
            Operands::Pattern if arguments.is_recursive && after_first.is_empty() => self.each(&here, read),
            Operands::Pattern => self.each(after_first, read),
            Operands::PatternSearch => {
                // `--files` lists files, and has no pattern.
                let files = if arguments.has_long("--files") { operands } else { after_first };
                let files = if files.is_empty() { here.as_slice() } else { files };
                self.each(files, |path| Action::Search { path });
            }
            Operands::Write => self.each(operands, |path| Action::Write { path }),
            Operands::ModeWrite => {
                self.each(operands.get(1..).unwrap_or_default(), |path| Action::Write { path });
            }
            Operands::Delete => self.each(operands, |path| Action::Delete { path }),
            Operands::Copy | Operands::Move | Operands::Link => self.transfer(kind, arguments),
            Operands::Sed => self.sed_files(arguments),
            Operands::Find => self.find(operands),
            Operands::Git => self.git(operands),
            Operands::ChangeDirectory => self.change_directory(operands),
            Operands::Shell => self.shell(operands, depth),
        }
    }

    fn each(&mut self, operands: &[&Word], action: impl Fn(String) -> Action) {
        for operand in operands.iter().filter(|word| !word.is_expanded) {
            if !STREAMS.contains(&operand.text.as_str()) {
                self.add(|_| action(operand.text.clone()));
            }
        }
    }

    fn transfer(&mut self, kind: Operands, arguments: &Arguments<'_>) {
        let Some((target, sources)) = arguments.operands.split_last() else { return };
        let is_recursive = arguments.is_recursive;
        if sources.is_empty() {
            self.unknown("an operand is missing");
        }
        let is_directory = self.is_directory;
        for source in sources.iter().filter(|source| !source.is_expanded) {
            if is_recursive {
                self.add(|_| Action::Search { path: source.text.clone() });
            } else {
                self.add(|_| Action::Read { path: source.text.clone() });
            }
            if target.is_expanded {
                continue;
            }
            let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
            self.add(|directory| {
                let is_into = directory.is_some_and(|directory| is_directory(directory, &target.text));
                let is_whole = name.is_empty() || name == "." || name == "..";
                let to = if is_into && !is_whole {
                    format!("{}/{name}", target.text)
                } else {
                    target.text.clone()
                };
                match kind {
                    Operands::Move => Action::Move { from: source.text.clone(), to },
                    _ if is_recursive => Action::WriteTree { path: to },
                    _ => Action::Write { path: to },
                }
            });
        }
        if kind == Operands::Link {
            self.unknown("it makes a link");
        }
        self.has_moved |= kind != Operands::Copy || is_recursive;
    }

    fn sed_files(&mut self, arguments: &Arguments<'_>) {
        let (script, files) = if arguments.has_script {
            (arguments.script, arguments.operands.as_slice())
        } else {
            let first = arguments.operands.first().map(|word| word.text.as_str());
            (first, arguments.operands.get(1..).unwrap_or_default())
        };
        if !script.is_some_and(options::is_plain_sed_script) {
            self.unknown("the script of `sed` is not understood");
        }
        if arguments.has_flag('i') {
            self.each(files, |path| Action::Write { path });
        }
        self.each(files, |path| Action::Read { path });
    }

    fn find(&mut self, operands: &[&Word]) {
        let is_expression =
            |word: &Word| word.text.starts_with('-') || ["(", "!"].contains(&word.text.as_str());
        let count = operands.iter().take_while(|word| !is_expression(word)).count();
        let (directories, expression) = operands.split_at_checked(count).unwrap_or((operands, &[]));
        if let Some(unknown) = options::find_unknown_test(expression) {
            self.unknown(format!("{} of `find` is not known", crate::judge::quote(unknown)));
        }
        if directories.is_empty() {
            self.add(|_| Action::Search { path: ".".to_owned() });
        }
        self.each(directories, |path| Action::Search { path });
    }

    fn git(&mut self, operands: &[&Word]) {
        let words: Vec<&str> = operands.iter().map(|word| word.text.as_str()).collect();
        match words.as_slice() {
            // They print only names.
            ["status", rest @ ..]
                if rest.iter().all(|word| ["-s", "--short", "-b", "--porcelain"].contains(word)) =>
            {
                self.add(|_| Action::Read { path: ".".to_owned() });
            }
            ["rev-parse", ..] | ["branch", "--show-current"] | ["--version"] => {}
            [command @ ("rm" | "mv" | "restore"), ..] => {
                let is_removal = *command == "rm";
                let files = operands.get(1..).unwrap_or_default();
                let files: Vec<&Word> =
                    files.iter().filter(|word| !word.text.starts_with('-')).copied().collect();
                self.each(
                    &files,
                    |path| {
                        if is_removal { Action::Delete { path } } else { Action::Write { path } }
                    },
                );
                self.unknown("git changes files");
            }
            _ => self.unknown("git can read and change any file of the repository"),
        }
    }

    fn change_directory(&mut self, operands: &[&Word]) {
        let [directory] = operands else { return self.unknown("`cd` has no directory") };
        if directory.is_expanded || directory.text.starts_with('-') {
            return self.unknown("`cd` has no known directory");
        }
        // `cd` can fail, so later commands can also run in the present directory.
        let changed: Vec<Option<String>> = self
            .directories
            .iter()
            .map(|present| match present {
                _ if directory.text.starts_with('/') => Some(directory.text.clone()),
                Some(present) => Some(format!("{present}/{}", directory.text)),
                None => None,
            })
            .collect();
        for changed in changed {
            if !self.directories.contains(&changed) {
                self.directories.push(changed);
            }
        }
        if self.directories.len() > MAX_DIRECTORIES {
            self.directories.truncate(MAX_DIRECTORIES);
            self.unknown("it changes the directory too often");
        }
    }

    fn shell(&mut self, operands: &[&Word], depth: usize) {
        match operands {
            [option, command]
                if ["-c", "-lc"].contains(&option.text.as_str())
                    && !command.is_expanded
                    && depth < MAX_DEPTH =>
            {
                self.command_line(&command.text, depth + 1);
            }
            _ => self.unknown("a shell runs commands that are not known"),
        }
    }
}

/// Returns whether a word sets a variable.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches('+');
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}
