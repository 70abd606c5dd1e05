//! Services, independent of their source.

use minds_diagnostics::{Diagnostic, Label, Problems, Span};
use minds_document::{Document, Node, NodeId};
use minds_text::secrets::{self, TextKind};

use super::rules::{LEFT_OUT, LITERAL_SECRET, UNWRITABLE_VALUE};
use crate::target::Target;

/// A program to run: the input of units, tasks and containers.
#[derive(Clone, Debug)]
pub struct Service {
    /// The name of its files: at most 201 letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// The agent in messages, as `project:agent`.
    pub agent: String,
    /// The description: one line.
    pub description: Value,
    /// The program and its arguments.
    pub command: Vec<Value>,
    /// The working directory: an absolute path.
    pub directory: Value,
    /// The environment file, if there is one.
    pub environment_file: Option<EnvironmentFile>,
    /// Further environment variables, which override those of the file.
    pub environment: Vec<(&'static str, Value)>,
    /// Whether the command passes the environment on itself, so that nothing is missing if the target does
    /// not support environment variables.
    pub passes_environment: bool,
    /// The directories to mount in a container: absolute paths.
    pub directories: Vec<Value>,
    /// The files to mount in a container: absolute paths.
    pub files: Vec<Value>,
    /// The shutdown timeout in seconds.
    pub stop_seconds: u64,
    /// The source position of the timeout, if it is configured.
    pub stop_place: Option<Place>,
    /// The source position of the name, if there is one.
    pub place: Option<Place>,
    /// How many seconds to wait before a restart.
    pub restart_seconds: u64,
    /// The exit statuses after which it is not restarted.
    pub final_statuses: &'static [u8],
    /// Whether it needs its own Redis server in a container, because it cannot reach the one on the machine.
    pub needs_redis: bool,
    /// The names of the source files, as used in messages.
    pub inputs: Vec<String>,
}

/// An environment file: a line `KEY=value` for each variable, without quoting.
#[derive(Clone, Debug)]
pub struct EnvironmentFile {
    /// The absolute path.
    pub path: Value,
    /// The variables.
    pub variables: Vec<(String, Value)>,
}

/// A string with its name in messages and its source position, if it has one.
#[derive(Clone, Debug)]
pub struct Value {
    /// The string.
    pub text: String,
    /// The name in messages, such as "`cwd`".
    pub name: String,
    /// The source position.
    pub place: Option<Place>,
}

/// The source position of a value.
#[derive(Clone, Debug)]
pub struct Place {
    label: Label,
    pointer: String,
}

impl Place {
    /// Returns the position of a node, with the given span.
    pub fn new(document: &Document, span: Span, node: NodeId) -> Self {
        Self { label: document.source().label(span), pointer: document.node(node).pointer() }
    }

    /// Returns the position of a node.
    pub fn of(node: Node<'_>) -> Self {
        Self { label: node.label(), pointer: node.pointer() }
    }
}

impl Service {
    /// Returns a service without a command that runs in `directory`.
    pub fn new(name: impl Into<String>, agent: impl Into<String>, directory: Value) -> Self {
        let agent = agent.into();
        Self {
            name: name.into(),
            description: Value::new("the description", format!("Agent {agent}")),
            agent,
            command: Vec::new(),
            directories: vec![directory.clone()],
            directory,
            files: Vec::new(),
            environment_file: None,
            environment: Vec::new(),
            passes_environment: false,
            stop_seconds: 10,
            stop_place: None,
            place: None,
            restart_seconds: 5,
            final_statuses: &[],
            needs_redis: false,
            inputs: Vec::new(),
        }
    }

    /// Returns the variables that the environment file does not set.
    pub(crate) fn additional_environment(&self) -> impl Iterator<Item = &(&'static str, Value)> {
        self.environment.iter().filter(|(key, _)| !self.is_in_file(key))
    }

    /// Returns the words to put in front of the command for targets whose environment file takes precedence:
    /// `env`, and an assignment for each variable that the file sets too.
    pub(crate) fn environment_prefix(&self) -> Vec<Value> {
        let both = self.environment.iter().filter(|(key, _)| self.is_in_file(key));
        let mut words: Vec<Value> = both
            .map(|(key, value)| Value { text: format!("{key}={}", value.text), ..value.clone() })
            .collect();
        if !words.is_empty() {
            words.insert(0, Value::new("the program that sets variables", "/usr/bin/env"));
        }
        words
    }

    fn is_in_file(&self, key: &str) -> bool {
        self.environment_file.iter().flat_map(|file| &file.variables).any(|(other, _)| other == key)
    }
}

impl Value {
    /// Returns a string without a source position.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), name: name.into(), place: None }
    }

    /// Returns the value with the given source position.
    #[must_use]
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }
}

/// Why a target cannot represent a value; it follows "cannot be written for …:" in messages.
pub(crate) type Reason = &'static str;

/// The findings about the services of one target.
pub(crate) struct Notes<'p> {
    pub(crate) target: Target,
    pub(crate) problems: &'p mut Problems,
}

impl Notes<'_> {
    /// Returns the encoded value, or reports that it cannot be written and returns `None`.
    pub(crate) fn require<T>(&mut self, value: &Value, written: Result<T, Reason>) -> Option<T> {
        written.map_err(|reason| self.refuse(value, reason)).ok()
    }

    /// Reports that a value cannot be written.
    pub(crate) fn refuse(&mut self, value: &Value, reason: Reason) {
        let message = format!("{} cannot be written for {}: {reason}", value.name, self.target.title());
        let found = Diagnostic::new(&UNWRITABLE_VALUE, message)
            .note("the value would be read differently, or would add a line to the file")
            .help("change the value, or render for another service manager");
        self.report(found, value.place.as_ref(), "this value");
    }

    /// Reports a value that contains a secret: every user can read service files, and service managers
    /// display them.
    pub(crate) fn check_secrets(&mut self, value: &Value) {
        if secrets::find(&value.text, TextKind::Settings).is_empty() {
            return;
        }
        let found = Diagnostic::new(&LITERAL_SECRET, format!("{} contains a secret", value.name))
            .note("every user can read service files and see the running commands")
            .help("let the command read it from a file that only its user can read");
        self.report(found, value.place.as_ref(), "would be written into a service");
    }

    /// Reports that two services would be the same one.
    pub(crate) fn refuse_duplicate(&mut self, service: &Service, first: &Service) {
        let (target, name) = (self.target.title(), &service.name);
        let message =
            format!("`{}` and `{}` would be the same service for {target}", first.agent, service.agent);
        let mut found = Diagnostic::new(&UNWRITABLE_VALUE, message)
            .note("on many file systems, names that differ only in letter case are the same file")
            .help("change the id of one of the agents or projects");
        if let Some(place) = &first.place {
            found = found.secondary(place.label.clone().message("the same name"));
        }
        self.report(found, service.place.as_ref(), &format!("its service is named `{name}`"));
    }

    /// Reports that a setting is left out.
    pub(crate) fn leave_out(&mut self, what: &str, reason: &str, help: &str, place: Option<&Place>) {
        let message = format!("{what} is left out for {}: {reason}", self.target.title());
        self.report(Diagnostic::new(&LEFT_OUT, message).help(help), place, "not written");
    }

    fn report(&mut self, found: Diagnostic, place: Option<&Place>, label: &str) {
        self.problems.push(match place {
            None => found,
            Some(place) => found.primary(place.label.clone().message(label)).pointer(place.pointer.clone()),
        });
    }
}
