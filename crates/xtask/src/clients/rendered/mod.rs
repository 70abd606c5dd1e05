//! A team that `minds render` writes for real clients: its members try to read and to write, and nothing that their lists deny
//! may happen.
//!
//! What the clients did is recorded in `fixtures/recorded/clients/rendered/`. The tests of `minds-client-agents` compare the
//! same records with the lists, and with the models of the clients.

mod start;
mod team;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use minds_access_control::{Access, Policy};

use super::Options;
use super::client::Client;
use super::disk;
use super::model::{Answer, Call, Script, Transcript};
use super::place::Place;
use super::recorded::forms;
use super::recorded::record::{Decision, Operation, Question, Record, Session};
use crate::files::root;
use crate::mcp::node::Node;
use start::{Form, Start};
use team::{FILES, MEMBERS, Member};

/// The number of calls that the model makes at the same time.
const CALLS_PER_TURN: usize = 10;

/// Runs a session of each member in each form; returns what was observed. A quick run has the first member only.
pub(super) fn run(client: Client, node: &Node, minds: &Path, options: &Options) -> Result<String, String> {
    let file = root().join(format!("fixtures/recorded/clients/rendered/{}.json", client.name()));
    let recorded = match std::fs::read_to_string(&file) {
        Ok(text) => Record::parse(&text)?,
        Err(_) if options.accept => Record { version: String::new(), sessions: Vec::new() },
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    let members = if options.quick { 1 } else { MEMBERS.len() };
    let mut sessions = Vec::new();
    let mut counts = Counts::default();
    for form in Form::of(client) {
        for member in &MEMBERS[..members] {
            let run = Run { client, node, minds, form: *form, member, policy: member.policy() };
            let name = format!("{} {}", member.id, form.name());
            let session = run.session(&name, &mut counts).map_err(|error| format!("`{name}`: {error}"))?;
            sessions.push(session);
        }
    }
    let record = Record { version: client.version().to_owned(), sessions };
    let differences = find_differences(&recorded, &record);
    if options.accept {
        let folder = file.parent().expect("the file has a folder");
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        std::fs::write(&file, record.print(client.name())).map_err(|error| error.to_string())?;
        for refusal in &counts.narrower {
            println!("{refusal}");
        }
        return Ok(format!("{}; {} answers differ", counts.describe(), differences.len()));
    }
    if recorded.version != record.version {
        return Err(format!("version {} is recorded; `--accept` records this one", recorded.version));
    }
    if differences.is_empty() { Ok(counts.describe()) } else { Err(differences.join("\n")) }
}

/// What was observed.
#[derive(Default)]
struct Counts {
    sessions: usize,
    not_rendered: usize,
    done: usize,
    denied: usize,
    /// What the lists allow and the client refuses, with its words.
    narrower: Vec<String>,
    /// What the lists deny, and the documentation says that it happens.
    documented: usize,
}

impl Counts {
    fn describe(&self) -> String {
        format!(
            "{} sessions, {} members not rendered: {} allowed calls were made and {} were not, {} denied calls were refused, {} \
             were made as documented",
            self.sessions,
            self.not_rendered,
            self.done,
            self.narrower.len(),
            self.denied,
            self.documented
        )
    }
}

fn find_differences(recorded: &Record, found: &Record) -> Vec<String> {
    let mut differences = Vec::new();
    for session in &found.sessions {
        let Some(known) = recorded.sessions.iter().find(|known| known.name == session.name) else {
            differences.push(format!("`{}` is not recorded", session.name));
            continue;
        };
        let lines = |session: &Session| session.questions.iter().map(Question::print).collect::<Vec<_>>();
        let (known, lines) = (lines(known), lines(session));
        let new = lines.iter().filter(|line| !known.contains(line));
        differences.extend(new.map(|line| format!("`{}`: {line} is not recorded", session.name)));
        let gone = known.iter().filter(|line| !lines.contains(line));
        differences.extend(gone.map(|line| format!("`{}`: {line} is recorded only", session.name)));
    }
    differences
}

/// The session of a member.
struct Run<'r> {
    client: Client,
    node: &'r Node,
    minds: &'r Path,
    form: Form,
    member: &'r Member,
    policy: Policy,
}

impl Run<'_> {
    fn session(&self, name: &str, counts: &mut Counts) -> Result<Session, String> {
        let client = self.client;
        let folder = format!("rendered-{}-{}", client.name(), name.replace([' ', ','], "-"));
        let place = Place::new(&folder, self.minds, &[]);
        let (provider, model) = start::model(client);
        place.write(".minds/team.yaml", &team::print_team(provider, model));
        for path in FILES {
            place.write(path, &team::text(path));
        }
        std::fs::write(place.outside().join("o.txt"), team::text("@OUTSIDE@/o.txt"))
            .map_err(|error| error.to_string())?;
        let (link, target) = team::link();
        place.link(link, &target);
        if matches!(client, Client::Codex | Client::Copilot) {
            self.make_folders(&place);
        }
        let targets = self.form.targets(client);
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let main_member = ["--member", self.member.id];
        place.render(&targets, if self.form.has_hook() { &main_member } else { &[] })?;

        let mut session = Session {
            name: name.to_owned(),
            permissions: None,
            lists: Some(self.member.describe()),
            questions: Vec::new(),
        };
        let Some(start) = start::start(client, self.form, &place, self.member) else {
            counts.not_rendered += 1;
            return Ok(session);
        };
        counts.sessions += 1;
        session.questions = self.questions();
        let (answers, changed) = self.ask(&place, &start, &session.questions)?;
        self.expect_no_denied_change(&place, &changed)?;
        for (question, answer) in session.questions.iter_mut().zip(&answers) {
            self.expect_no_denied_text(answer, question)?;
            question.decision = Some(self.judge(&place, question, answer, counts)?);
        }
        Ok(session)
    }

    /// Makes the folders of all files to write, for clients that do not.
    fn make_folders(&self, place: &Place) {
        let files = self.questions().into_iter().filter_map(|question| team::find_file(&question.path));
        for file in files {
            let path = place.workspace().join(file);
            let folder = path.parent().expect("a file has a folder");
            std::fs::create_dir_all(folder).expect("the folder can be made");
        }
    }

    /// Returns the questions that the form can answer.
    fn questions(&self) -> Vec<Question> {
        let is_for_form = |(operation, path): &(Operation, &str)| {
            let is_command = matches!(operation, Operation::CommandRead | Operation::CommandWrite);
            match self.client {
                // All that it does is a command, which its sandbox binds.
                Client::Codex => !is_command,
                // It searches with a program that npm does not install, so only what is refused before is asked.
                Client::Opencode if *operation == Operation::Search => {
                    *path == "." && self.member.limits_reading()
                }
                // In other clients, only the hook judges commands.
                _ => !is_command || self.form.has_hook() || !self.member.has_shell(),
            }
        };
        let question = |(operation, path): (Operation, &str)| {
            // The hook does not know which file a command with a new directory writes.
            let is_command = self.client == Client::Codex && operation == Operation::Write;
            let operation = if is_command { Operation::Edit } else { operation };
            Question { operation, path: path.to_owned(), decision: None }
        };
        Member::questions().filter(is_for_form).map(question).collect()
    }

    /// Runs the session; returns the answers, and the files that changed.
    fn ask(
        &self,
        place: &Place,
        start: &Start,
        questions: &[Question],
    ) -> Result<(Vec<Answer>, Vec<PathBuf>), String> {
        // The client has written its own files before the answer to the first call.
        let first = Question { operation: Operation::Read, path: "README.md".to_owned(), decision: None };
        let mut turns = vec![vec![forms::call(self.client, place, &first, "")]];
        let mut files: Vec<Call> = Vec::new();
        for question in questions {
            files.push(forms::call(self.client, place, question, &content(question)));
            // A command that fails ends those at the same time.
            let is_command = matches!(question.operation, Operation::CommandRead | Operation::CommandWrite);
            if is_command || files.len() == CALLS_PER_TURN {
                turns.push(std::mem::take(&mut files));
            }
        }
        turns.extend([files].into_iter().filter(|calls| !calls.is_empty()));
        let folders = [place.workspace(), place.outside()];
        let before = Arc::new(Mutex::new(disk::Tree::new()));
        let (shared, read) = (Arc::clone(&before), folders.clone());
        let observer = Box::new(move |turn, _: &[Answer]| {
            if turn == 0 {
                *shared.lock().expect("no thread panics") = disk::read(&read);
            }
        });
        let script = Script { turns, delegation: start.delegation.clone(), observer };
        let arguments: Vec<&str> = start.arguments.iter().map(String::as_str).collect();
        let Transcript { answers, .. } = match self.client.run(self.node, place, &arguments, script) {
            // A client does not call tools for an agent that has none.
            Err(error) if !self.member.has_tools() && error.contains("ended after 0 answers") => {
                let answer = || Answer { is_error: true, text: String::new() };
                return Ok((questions.iter().map(|_| answer()).collect(), Vec::new()));
            }
            result => result?,
        };
        let changed = disk::find_changes(&before.lock().expect("no thread panics"), &disk::read(&folders));
        Ok((answers.into_iter().skip(1).collect(), changed))
    }

    /// Compares what the client did with the lists.
    fn judge(
        &self,
        place: &Place,
        question: &Question,
        answer: &Answer,
        counts: &mut Counts,
    ) -> Result<Decision, String> {
        let is_done = match question.operation {
            Operation::Search => answer.text.contains("text of "),
            Operation::Read | Operation::CommandRead => {
                let path = team::find_file(&question.path).unwrap_or_else(|| question.path.clone());
                answer.text.contains(&team::text(&path))
            }
            Operation::Write | Operation::Edit | Operation::CommandWrite => team::find_file(&question.path)
                .is_some_and(|path| {
                    std::fs::read_to_string(place.workspace().join(path))
                        .is_ok_and(|written| written.trim_end() == content(question))
                }),
        };
        let may = self.member.may(&self.policy, question.operation, &question.path);
        let shown = || format!("{} {}: {}", self.member.id, question.print(), answer.text.trim());
        match (is_done, may) {
            (true, true) => counts.done += 1,
            (true, false) if self.is_documented(&question.path) => counts.documented += 1,
            (true, false) => return Err(format!("is denied and was done: {}", shown())),
            (false, true) => counts.narrower.push(shown().chars().take(300).collect()),
            (false, false) => counts.denied += 1,
        }
        Ok(if is_done { Decision::Allowed } else { Decision::Refused })
    }

    /// Returns whether the page of clients says that the files of the client do not hold the lists for a path.
    fn is_documented(&self, path: &str) -> bool {
        let is_nested_git = path.split('/').skip(1).any(|name| name == ".git");
        match self.client {
            Client::Codex => is_nested_git || team::is_in_package(path) || path.starts_with("@OUTSIDE@"),
            Client::ClaudeCode => !self.form.has_hook() && path.starts_with("SRC/"),
            Client::Opencode | Client::Gemini => !self.form.has_hook() && team::has_link(path),
            Client::Copilot => false,
        }
    }

    /// Checks each file that changed.
    fn expect_no_denied_change(&self, place: &Place, changed: &[PathBuf]) -> Result<(), String> {
        for path in changed {
            let inner = disk::relative(path, &place.workspace());
            let is_parent =
                || path.is_dir() && changed.iter().any(|other| other != path && other.starts_with(path));
            let is_allowed = inner.is_some_and(|inner| {
                let may_write = self.member.may(&self.policy, Operation::Write, inner);
                may_write || self.is_documented(inner) || self.is_over_link(inner)
            });
            if !is_allowed && !is_parent() {
                return Err(format!("{} was changed", path.display()));
            }
        }
        Ok(())
    }

    /// Returns whether a file can have been written by the documented way over the link.
    fn is_over_link(&self, inner: &str) -> bool {
        let (link, target) = team::link();
        let target = target.trim_start_matches("../");
        inner.strip_prefix(target).is_some_and(|rest| self.is_documented(&format!("{link}{rest}")))
            && self.policy.check(Access::Write, &parse(&format!("{link}/n"))).is_allowed()
    }

    /// Checks that no answer contains the text of a file that the member must not read.
    fn expect_no_denied_text(&self, answer: &Answer, question: &Question) -> Result<(), String> {
        let denied = FILES
            .into_iter()
            .chain(["@OUTSIDE@/o.txt"])
            .filter(|path| !self.member.has_tools() || !team::is_allowed(&self.policy, Access::Read, path));
        // Tools that search read task packages, which neither rules about paths nor the hook know.
        let is_search = question.operation == Operation::Search
            && matches!(self.client, Client::Gemini | Client::Opencode | Client::Copilot);
        for path in denied {
            let is_package = is_search && team::is_in_package(path) && self.member.has_tools();
            let is_documented = is_package || self.is_documented(&question.path);
            if answer.text.contains(&team::text(path)) && !is_documented {
                return Err(format!("{path} was read: {} {}", question.print(), answer.text));
            }
        }
        Ok(())
    }
}

fn parse(path: &str) -> minds_vfs::WorkspacePath {
    minds_vfs::WorkspacePath::parse(path).expect("the path is valid")
}

/// Returns what is written, or searched for.
fn content(question: &Question) -> String {
    match question.operation {
        Operation::Search => "text of".to_owned(),
        _ => format!("content of {}", question.path),
    }
}
