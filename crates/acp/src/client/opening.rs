//! How a session is opened.

use serde_json::{Map, Value};

use super::{Asked, Client, ClientEvent, Phase, SessionOrigin};
use crate::wire::{self, Opened};

/// What a session begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The working directory, an absolute path.
    pub cwd: String,
    /// The MCP servers that the program starts.
    pub servers: Vec<McpServer>,
    /// The id of an earlier session.
    pub session: Option<String>,
    /// The model; none for that of the program.
    pub model: Option<String>,
    /// The mode in which the program asks before it acts; none for that of the program.
    pub mode: Option<String>,
    /// What the program reads beside the parameters of the protocol (`_meta`).
    pub meta: Option<Map<String, Value>>,
}

/// An MCP server that talks over stdio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// The program, an absolute path.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Client {
    /// Continues the earlier session if there is one and the program can, and begins a new one else.
    pub(super) fn open_session(&mut self) {
        match self.opening.session.clone() {
            Some(session) if self.can.resumes => {
                let params = wire::resume_session(&session, &self.opening);
                self.session = session;
                self.request(Asked::Old, "session/resume", params);
            }
            Some(session) if self.can.loads => {
                let params = wire::load_session(&session, &self.opening);
                self.session = session;
                self.request(Asked::Old, "session/load", params);
            }
            Some(_) => self.request_new(SessionOrigin::NewInsteadOfEarlier),
            None => self.request_new(SessionOrigin::New),
        }
    }

    pub(super) fn request_new(&mut self, origin: SessionOrigin) {
        let params = wire::new_session(&self.opening);
        self.request(Asked::New(origin), "session/new", params);
    }

    pub(super) fn use_session(&mut self, opened: Opened, origin: SessionOrigin) -> Vec<ClientEvent> {
        if let Some(session) = opened.session {
            self.session = session;
        }
        match (self.opening.model.clone(), opened.model) {
            (None, _) => self.use_mode(origin),
            (Some(model), Some((option, values))) if values.contains(&model) => {
                let params = wire::set_option(&self.session, &option, &model);
                self.request(Asked::Model(origin), "session/set_config_option", params);
                Vec::new()
            }
            (Some(model), offered) => {
                let model: String = model.chars().take(80).collect();
                let why = match offered {
                    Some((_, values)) => {
                        let values: Vec<&str> = values.iter().take(20).map(String::as_str).collect();
                        format!("it offers {}", values.join(", "))
                    }
                    None => "it offers no choice of models".to_owned(),
                };
                let warning = format!("the program does not use the model `{model}`: {why}");
                let mut events = vec![ClientEvent::Warning(warning)];
                events.extend(self.use_mode(origin));
                events
            }
        }
    }

    /// Sets the mode, also if the program has it: files that it reads may have given it another one, and what it reports about
    /// its modes is optional.
    pub(super) fn use_mode(&mut self, origin: SessionOrigin) -> Vec<ClientEvent> {
        let Some(mode) = &self.opening.mode else { return self.finish_opening(origin) };
        let params = wire::set_mode(&self.session, mode);
        self.request(Asked::Mode(origin), "session/set_mode", params);
        Vec::new()
    }

    pub(super) fn finish_opening(&mut self, origin: SessionOrigin) -> Vec<ClientEvent> {
        self.phase = Phase::Idle;
        self.deadline = None;
        vec![ClientEvent::Opened { session: self.session.clone(), origin }]
    }
}
