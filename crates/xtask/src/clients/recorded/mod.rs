//! What real clients decide with permissions of all kinds, compared with what is recorded in `fixtures/recorded/clients/`.
//!
//! The tests of `minds-clients` compare the models of the clients with the same records, without the clients.

pub(super) mod forms;
pub(super) mod record;

use std::path::Path;

use minds_vfs::WorkspacePath;

use super::Options;
use super::client::Client;
use super::model::{Answer, Call, Script};
use super::place::Place;
use crate::files::root;
use crate::mcp::node::Node;
use record::{Decision, Operation, Question, Record, Session};

/// The number of calls that the model makes at the same time.
const CALLS_PER_TURN: usize = 10;

/// Asks a client all recorded questions; returns what was observed. They can be recorded instead, and a quick run has one session.
pub(super) fn run(client: Client, node: &Node, minds: &Path, options: &Options) -> Result<String, String> {
    let file = root().join(format!("fixtures/recorded/clients/{}.json", client.name()));
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut record = Record::parse(&text)?;
    let mut differences = Vec::new();
    let mut count = 0;
    let sessions = if options.quick { 1 } else { record.sessions.len() };
    for (number, session) in record.sessions.iter_mut().take(sessions).enumerate() {
        let found = ask(client, node, minds, &format!("recorded-{}-{number}", client.name()), session)
            .map_err(|error| format!("`{}`: {error}", session.name))?;
        for (question, found) in session.questions.iter_mut().zip(found) {
            count += 1;
            if question.decision != Some(found) {
                let Question { operation, path, decision } = &question;
                differences.push(format!(
                    "`{}`: {operation:?} `{path}` is {found:?}, but {decision:?} is recorded",
                    session.name
                ));
                question.decision = Some(found);
            }
        }
    }
    if options.accept {
        client.version().clone_into(&mut record.version);
        std::fs::write(&file, record.print(client.name())).map_err(|error| error.to_string())?;
        return Ok(format!("{count} decisions are recorded, {} differ", differences.len()));
    }
    if record.version != client.version() {
        return Err(format!("version {} is recorded; `--accept` records this one", record.version));
    }
    if differences.is_empty() {
        Ok(format!("{count} decisions in {sessions} sessions are as recorded"))
    } else {
        Err(differences.join("\n"))
    }
}

/// Asks the questions of a session.
fn ask(
    client: Client,
    node: &Node,
    minds: &Path,
    name: &str,
    session: &Session,
) -> Result<Vec<Decision>, String> {
    let place = Place::new(name, minds, &[]);
    let normalized: Vec<WorkspacePath> =
        session.questions.iter().map(|question| normalize(&question.path)).collect::<Result<_, _>>()?;
    for (question, path) in session.questions.iter().zip(&normalized) {
        if question.operation == Operation::Read {
            place.write(path.as_str(), &content(path));
        } else if let (Client::Codex | Client::Copilot, Some((folder, _))) =
            (client, path.as_str().rsplit_once('/'))
        {
            // The one creates folders only where their parents may be written, the other none.
            std::fs::create_dir_all(place.workspace().join(folder)).expect("the folder can be made");
        }
    }
    let permissions = session.permissions.as_ref().ok_or("no permissions")?;
    let arguments = forms::prepare(client, &place, permissions)?;
    let calls: Vec<Call> = session
        .questions
        .iter()
        .zip(&normalized)
        .map(|(question, path)| forms::call(client, &place, question, &content(path)))
        .collect();
    let mut script = Script::of(Vec::new());
    script.turns = calls.chunks(CALLS_PER_TURN).map(<[Call]>::to_vec).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let transcript = client.run(node, &place, &arguments, script)?;
    let answers = session.questions.iter().zip(&normalized).zip(&transcript.answers);
    answers.map(|((question, path), answer)| judge(client, &place, question, path, answer)).collect()
}

/// Returns what the client did: the content was read or written, or it says that it refuses.
fn judge(
    client: Client,
    place: &Place,
    question: &Question,
    path: &WorkspacePath,
    answer: &Answer,
) -> Result<Decision, String> {
    let content = content(path);
    let is_done = match question.operation {
        Operation::Read | Operation::CommandRead | Operation::Search => {
            answer.text.contains(content.trim_end())
        }
        Operation::Write | Operation::Edit | Operation::CommandWrite => {
            std::fs::read_to_string(place.workspace().join(path.as_str()))
                .is_ok_and(|written| written.trim_end() == content.trim_end())
        }
    };
    if is_done {
        return Ok(Decision::Allowed);
    }
    if forms::is_refusal(client, &answer.text) {
        return Ok(Decision::Refused);
    }
    Err(format!("{:?} `{}` is neither done nor refused: {}", question.operation, question.path, answer.text))
}

fn content(path: &WorkspacePath) -> String {
    format!("content of {path}\n")
}

/// Returns the path that a spelling leads to.
fn normalize(path: &str) -> Result<WorkspacePath, String> {
    let inner = path.strip_prefix("@WORK@/").unwrap_or(path);
    WorkspacePath::normalize(inner).map_err(|error| format!("`{path}`: {error}"))
}
