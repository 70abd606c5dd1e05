//! What is kept running, whoever says so.

use minds_diagnostics::{Diagnostic, Label, Problems, Span};
use minds_document::secrets::{self, Reading};
use minds_document::{Document, Node, NodeId};

use super::rules::{LEFT_OUT, LITERAL_SECRET, UNWRITABLE_VALUE};
use crate::target::Target;

/// A program that is kept running: what units, tasks and containers are made of.
#[derive(Clone, Debug)]
pub struct Service {
    /// What its files are named after: letters, digits, `.`, `_` and `-`, at most 201 of them.
    pub name: String,
    /// Whom messages speak of, as `project:agent`.
    pub agent: String,
    /// What people read about it: one line.
    pub description: Value,
    /// The program, and its arguments.
    pub command: Vec<Value>,
    /// Where it runs: an absolute path.
    pub directory: Value,
    /// Where its environment stands, if that is a file.
    pub environment_file: Option<EnvironmentFile>,
    /// Its environment beside that of the file, over which it wins.
    pub environment: Vec<(&'static str, Value)>,
    /// What its command hands over of the environment, so that nothing lacks where a target has no place for that.
    pub hands_over_environment: bool,
    /// The directories that it needs in a container: absolute paths.
    pub directories: Vec<Value>,
    /// The files that it reads in a container, wherever they lie: absolute paths.
    pub files: Vec<Value>,
    /// For how many seconds it may go on when it is to end.
    pub stop_seconds: u64,
    /// Where a file says so, if one does.
    pub stop_place: Option<Place>,
    /// Where a file says what it is called, if one does.
    pub place: Option<Place>,
    /// How many seconds pass before it is started again.
    pub restart_seconds: u64,
    /// The exit statuses after which it is not started again.
    pub final_statuses: &'static [u8],
    /// Whether it needs a Redis server beside it where it cannot reach that of the machine.
    pub needs_redis: bool,
    /// The files that say all this, by the names that messages use.
    pub inputs: Vec<String>,
}

/// A file of variables, a line `KEY=value` for each and nothing quoted.
#[derive(Clone, Debug)]
pub struct EnvironmentFile {
    /// Where it is: an absolute path.
    pub path: Value,
    /// What it sets.
    pub variables: Vec<(String, Value)>,
}

/// A text, what it is called in messages, and where it stands if it stands in a file.
#[derive(Clone, Debug)]
pub struct Value {
    /// The text.
    pub text: String,
    /// What it is called, as "`cwd`".
    pub name: String,
    /// Where it stands.
    pub place: Option<Place>,
}

/// Where a value stands.
#[derive(Clone, Debug)]
pub struct Place {
    label: Label,
    pointer: String,
}

impl Place {
    /// Returns the place of a part of a tree.
    pub fn new(document: &Document, span: Span, node: NodeId) -> Self {
        Self { label: document.source().label(span), pointer: document.node(node).pointer() }
    }

    /// Returns the place of a node.
    pub fn of(node: Node<'_>) -> Self {
        Self { label: node.label(), pointer: node.pointer() }
    }
}

impl Service {
    /// Returns a service without a command, whose agent works in a directory.
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
            hands_over_environment: false,
            stop_seconds: 10,
            stop_place: None,
            place: None,
            restart_seconds: 5,
            final_statuses: &[],
            needs_redis: false,
            inputs: Vec::new(),
        }
    }

    /// Returns the variables that its file does not set.
    pub(crate) fn environment_beside_file(&self) -> impl Iterator<Item = &(&'static str, Value)> {
        self.environment.iter().filter(|(key, _)| !self.is_in_file(key))
    }

    /// Returns what stands before the command where a file of variables wins over those beside it: the program that sets
    /// them again, and an assignment for each that the file sets too.
    pub(crate) fn words_over_file(&self) -> Vec<Value> {
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
    /// Returns a text that stands in no file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), name: name.into(), place: None }
    }

    /// Returns the same at a place.
    #[must_use]
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }
}

/// Why a target cannot carry a value, in words that go on from "cannot be written for …:".
pub(crate) type Reason = &'static str;

/// The findings about the services of one target.
pub(crate) struct Notes<'p> {
    pub(crate) target: Target,
    pub(crate) problems: &'p mut Problems,
}

impl Notes<'_> {
    /// Returns what a value is written as; none, and a finding, if it cannot be.
    pub(crate) fn take<T>(&mut self, value: &Value, written: Result<T, Reason>) -> Option<T> {
        written.map_err(|reason| self.refuse(value, reason)).ok()
    }

    /// Says that a value cannot be written.
    pub(crate) fn refuse(&mut self, value: &Value, reason: Reason) {
        let message = format!("{} cannot be written for {}: {reason}", value.name, self.target.title());
        let found = Diagnostic::new(&UNWRITABLE_VALUE, message)
            .note("what cannot be written as it is would become another value, or another line of the file")
            .help("change the value, or render for another service manager");
        self.report(found, value.place.as_ref(), "this value");
    }

    /// Says so if a value holds a secret: services can be read by everybody, and are shown by what runs them.
    pub(crate) fn look_for_secrets(&mut self, value: &Value) {
        if secrets::find(&value.text, Reading::Settings).is_empty() {
            return;
        }
        let found = Diagnostic::new(&LITERAL_SECRET, format!("{} holds a secret", value.name))
            .note("everybody can read the files of services and see the commands that run")
            .help("let the command read it from a file that only its user can read");
        self.report(found, value.place.as_ref(), "would be written into a service");
    }

    /// Says that two services would be the same one.
    pub(crate) fn refuse_name(&mut self, service: &Service, first: &Service) {
        let (target, name) = (self.target.title(), &service.name);
        let message = format!("`{}` and `{}` would be one service for {target}", first.agent, service.agent);
        let mut found = Diagnostic::new(&UNWRITABLE_VALUE, message)
            .note("on many file systems, names that differ only in letter case are the same file")
            .help("change the id of one of the agents or projects");
        if let Some(place) = &first.place {
            found = found.secondary(place.label.clone().message("the same name"));
        }
        self.report(found, service.place.as_ref(), &format!("its service is called `{name}`"));
    }

    /// Says that something is left out.
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
