//! A client of the agent.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use minds_fleet_bus::{Bus as _, ClaimCall, ClientEvent, ClientPort, Follower, LocalBus, Start, request};
use minds_fleet_protocol::methods::{Call, Input, InputMeta, QueueList, QueuedItem, Status, StatusValue};
use minds_fleet_protocol::{
    AgentState, Caller, EndReason, Event, EventKind, Failure, Frame, ItemId, Now, Outcome, Request,
    RequestId, Response, Timestamp,
};

use crate::place::{TIME, id};

pub(crate) fn now() -> Now {
    static START: OnceLock<Instant> = OnceLock::new();
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    Now {
        clock: START.get_or_init(Instant::now).elapsed(),
        time: Timestamp::from_milliseconds(time.try_into().unwrap()),
    }
}

/// A client of the agent.
pub(crate) struct Client {
    port: Box<dyn ClientPort>,
    caller: Caller,
}

impl Client {
    pub(crate) fn connect(bus: &LocalBus) -> Result<Self, Failure> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        let caller = Caller::parse(&format!("cli:s-{:08x}{number:08x}", std::process::id())).unwrap();
        Self::connect_as(bus, caller)
    }

    /// Connects again after the end of an agent.
    pub(crate) fn connect_as(bus: &LocalBus, caller: Caller) -> Result<Self, Failure> {
        Ok(Self { port: bus.connect(&id(), &caller, now())?, caller })
    }

    pub(crate) fn caller(&self) -> Caller {
        self.caller.clone()
    }

    #[track_caller]
    pub(crate) fn claim(&mut self) {
        self.port.claim(ClaimCall::default(), now()).unwrap();
        loop {
            if let Some(ClientEvent::Claim(claimed)) = self.port.receive(now(), TIME).unwrap() {
                claimed.unwrap();
                return;
            }
        }
    }

    /// Returns a request with an id of its own.
    pub(crate) fn request<C: Call>(&self, call: &C) -> Request {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Request {
            req_id: RequestId::new(COUNT.fetch_add(1, Ordering::SeqCst)),
            method: C::METHOD.name().to_owned(),
            params: call.encode().unwrap(),
            ts: now().time,
            caller: self.caller.clone(),
            timeout: Some(C::METHOD.default_timeout()),
        }
    }

    /// Sends a request, and returns its response.
    pub(crate) fn send(&mut self, sent: Request) -> Result<Response, Failure> {
        request(self.port.as_mut(), sent, &mut now, &mut |_| {})
    }

    /// Sends a request, and does not wait for the response.
    pub(crate) fn send_only(&mut self, sent: Request) {
        self.port.send(sent, now()).unwrap();
    }

    /// Returns the next response; none if the agent ends.
    pub(crate) fn next_response(&mut self) -> Option<Response> {
        loop {
            match self.port.receive(now(), TIME) {
                Ok(Some(ClientEvent::Response(response))) => return Some(response),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    pub(crate) fn call<C: Call>(&mut self, call: &C) -> Result<C::Value, Failure> {
        let request = self.request(call);
        match self.send(request)?.outcome {
            Outcome::Success { value, .. } => Ok(value.decode().unwrap()),
            Outcome::Failure(failure) => Err(failure),
        }
    }

    pub(crate) fn status(&mut self) -> Result<StatusValue, Failure> {
        self.call(&Status {})
    }

    /// Returns the number of items that are not done, without parked ones; none if the agent has ended.
    pub(crate) fn waiting(&mut self) -> Option<u64> {
        let status = self.status().ok()?;
        Some(status.queue.pending + u64::from(status.state != AgentState::Idle))
    }

    pub(crate) fn queue(&mut self) -> Vec<QueuedItem> {
        self.call(&QueueList {}).unwrap().items
    }

    /// Adds an item.
    #[track_caller]
    pub(crate) fn input(&mut self, text: &str) -> ItemId {
        self.call(&input(text)).unwrap().qid
    }
}

pub(crate) fn input(text: &str) -> Input {
    Input { text: text.to_owned(), meta: InputMeta { source: "console".to_owned(), trace_id: None } }
}

/// Reads the frames of the agent.
pub(crate) struct Frames {
    follower: Box<dyn Follower>,
    pub(crate) read: Vec<Frame>,
}

impl Frames {
    pub(crate) fn all(bus: &LocalBus) -> Self {
        Self { follower: bus.follow(&id(), Start::Offset(0)).unwrap(), read: Vec::new() }
    }

    pub(crate) fn read_more(&mut self) {
        self.read.extend(self.follower.read(Duration::ZERO).unwrap());
    }

    /// Reads until an event is found, and returns it.
    #[track_caller]
    pub(crate) fn wait_for<T>(&mut self, find: impl Fn(&Event) -> Option<T>) -> T {
        let start = Instant::now();
        let mut from = 0;
        loop {
            if let Some(found) = self.read[from..].iter().find_map(|frame| find(&frame.event)) {
                return found;
            }
            from = self.read.len();
            assert!(start.elapsed() < TIME, "the event does not come: {:?}", self.describe());
            self.read.extend(self.follower.read(Duration::from_secs(1)).unwrap());
        }
    }

    /// Reads until the end of an item, and returns the reason.
    #[track_caller]
    pub(crate) fn end_of(&mut self, item: &ItemId) -> EndReason {
        self.wait_for(|event| match &event.kind {
            EventKind::TaskEnd(end) if end.id == *item => end.reason,
            _ => None,
        })
    }

    /// Describes the events, one line each. Neighboring tokens are joined.
    pub(crate) fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for frame in &self.read {
            let line = match &frame.event.kind {
                EventKind::Token(token) => match lines.last_mut().filter(|line| line.starts_with("text ")) {
                    Some(line) => {
                        line.push_str(&token.text);
                        continue;
                    }
                    None => format!("text {}", token.text),
                },
                EventKind::TaskEnd(end) => format!("end {:?}", end.reason.unwrap()),
                EventKind::ToolCall(call) => format!("tool {} {}", call.name, call.input.as_str()),
                EventKind::ToolResult(result) => format!("result {}", result.ok),
                EventKind::StateChange(change) => format!("state {}", change.state.as_str()),
                EventKind::Error(error) => format!("error {}", error.msg),
                EventKind::Warning(warning) => format!("warn {}", warning.msg),
                EventKind::ConfirmDone(done) => format!("confirmed {}", done.answer),
                EventKind::TaskRecover(recover) => format!("recover {}", recover.parked.len()),
                kind => kind.name().unwrap().to_owned(),
            };
            lines.push(line);
        }
        lines
    }
}
