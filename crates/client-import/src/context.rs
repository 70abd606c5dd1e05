//! What the modules of all clients use: the files, the findings, and what was read.

use std::collections::{BTreeMap, BTreeSet};

use minds_clients::{Client, ClientFile, ClientsFamily, Flaw, Item, Kind};
use minds_diagnostics::{Label, SourceFile, Span};

use crate::findings::{Findings, place, shorten};
use crate::models::Providers;
use crate::patterns::Directories;
use crate::rules;

/// The state of an import.
pub(crate) struct Context<'r> {
    pub(crate) family: &'r ClientsFamily,
    /// The client whose files are read.
    pub(crate) client: &'static Client,
    pub(crate) directories: Directories<'r>,
    /// The ignore files of clients, such as `.geminiignore`.
    pub(crate) ignore_files: &'r [SourceFile],
    pub(crate) findings: Findings,
    pub(crate) providers: Providers,
    /// The names of the files that were read.
    pub(crate) read: BTreeSet<&'r str>,
    /// The agents that have all tools and get no shell, by the reason, each with its place.
    pub(crate) without_shell: BTreeMap<&'static str, Vec<(String, Label)>>,
    /// Whether something could not be read that may limit members.
    pub(crate) is_refused: bool,
}

impl<'r> Context<'r> {
    /// Returns the file at a path of the workspace, and marks it as read. If it cannot be read, that is reported, and the
    /// import is refused: it may limit what agents can do.
    pub(crate) fn file(&mut self, path: &str) -> Option<&'r ClientFile> {
        let file = self.family.files.iter().find(|file| file.path.as_str() == path)?;
        self.read.insert(file.path.as_str());
        if file.content.data.is_some() {
            return Some(file);
        }
        self.is_refused = true;
        self.report_unreadable(file, "nothing is written, because it may limit what agents can do");
        None
    }

    /// Returns the agents in the directories of the client at the top of the workspace that can be read.
    pub(crate) fn agents(&mut self, folders: &[&str]) -> Vec<&'r ClientFile> {
        let family = self.family;
        let mut found = Vec::new();
        for file in family.of(self.client.id, Kind::Agent) {
            let is_in = |folder: &&str| file.path.as_str().starts_with(*folder);
            if !folders.iter().any(is_in) {
                continue;
            }
            self.read.insert(file.path.as_str());
            if file.is_page() {
                continue;
            }
            // Limits over several lines are lost where the front matter is not valid.
            let is_incomplete =
                file.content.is_untyped && ["tools", "disallowedTools"].iter().any(|key| is_cut(file, key));
            // A file without front matter is only an agent of opencode.
            let is_plain_text =
                file.content.data.is_none() && file.content.flaws.is_empty() && file.content.body.is_some();
            if is_plain_text && self.client.id != "opencode" {
                crate::agent::report_incomplete(self, file, "name");
            } else if (file.content.data.is_none() && !is_plain_text) || is_incomplete {
                self.report_unreadable(file, "the agent does not become a member");
            } else {
                found.push(file);
            }
        }
        found
    }

    fn report_unreadable(&mut self, file: &ClientFile, effect: &str) {
        let (span, why) = match file.content.flaws.first() {
            Some(Flaw::FrontMatter { span, why }) => (*span, why.clone()),
            Some(Flaw::Syntax { span, why }) => (*span, (*why).to_owned()),
            _ if file.content.body.is_some() => {
                (file.content.place, "its front matter has lists that cannot be read".to_owned())
            }
            _ => (Span::at(0), "it is not valid".to_owned()),
        };
        let path = file.path.as_str();
        self.findings.report(
            &rules::UNREADABLE,
            &place(file, span),
            format!("`{path}` cannot be read: {why}; {effect}"),
            "correct the file, and import again; `minds check` shows all mistakes",
        );
    }

    /// Reports the entries that were not read, each as something without a place in a team.
    pub(crate) fn report_rest(&mut self, file: &ClientFile, what: &str, fields: crate::fields::Fields<'_>) {
        for entry in fields.rest() {
            self.findings.report_loss(
                &place(file, entry.key_span),
                format!("`{}` of {what} has no counterpart in a team", shorten(&entry.key)),
                "keep the file of the client if it is needed there",
            );
        }
    }

    /// Reports the agents that have all tools and get no shell: once for each reason, because there can be many.
    pub(crate) fn report_without_shell(&mut self) {
        for (why, agents) in std::mem::take(&mut self.without_shell) {
            let Some((first, at)) = agents.first() else { continue };
            let first = shorten(first);
            let (who, verb) = match agents.len() - 1 {
                0 => (format!("`{first}`"), "does"),
                1 => (format!("`{first}` and one more member"), "do"),
                more => (format!("`{first}` and {more} more members"), "do"),
            };
            self.findings.report_narrower(at, format!("{who} {verb} not get a shell: {why}"), SHELL_HELP);
        }
    }

    /// Returns the entries of an ignore file, with their places; empty if there is none.
    pub(crate) fn ignored_patterns(&self, name: &str) -> Vec<(String, Label)> {
        let Some(source) = self.ignore_files.iter().find(|source| source.name() == name) else {
            return Vec::new();
        };
        let Ok(text) = source.text() else { return Vec::new() };
        let mut found = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            let pattern = line.trim_start_matches('\u{feff}').trim_end();
            if pattern.is_empty() || pattern.starts_with('#') {
                continue;
            }
            let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            found.push((pattern.to_owned(), source.label(Span::new(offset(at), offset(at + pattern.len())))));
        }
        found
    }
}

/// What to do about a member without a shell.
pub(crate) const SHELL_HELP: &str = "if it may run any command, add the toolset `os`, and the member to `shell_specialists`, in `.minds/team.yaml`";

/// Returns whether the value of a key continues on further lines, which were not read.
fn is_cut(file: &ClientFile, key: &str) -> bool {
    let value = file.get(key).and_then(Item::text);
    value.is_some_and(|text| text.trim().is_empty() || (text.contains('[') && !text.contains(']')))
}
