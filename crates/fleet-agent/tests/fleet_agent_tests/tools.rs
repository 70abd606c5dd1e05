//! Tools with effects that tests can count.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use minds_fleet_agent::turn::{ToolOutcome, Verdict};
use minds_fleet_agent::{RunningTool, ToolEvent, Tools};
use minds_fleet_protocol::Stream;
use minds_model_client::{ToolCall, ToolDescription};

/// `note` and `ask` append their effect to a file, the second one after a confirmation; `read` has no effect; `hang` runs until
/// it is stopped.
pub(crate) struct TestTools {
    pub(crate) effects: PathBuf,
}

impl Tools for TestTools {
    fn list(&mut self) -> Vec<ToolDescription> {
        Vec::new()
    }

    fn has_effect(&self, call: &ToolCall) -> bool {
        call.name != "read"
    }

    fn judge(&mut self, call: &ToolCall) -> Verdict {
        match call.name.as_str() {
            "note" | "read" | "hang" => Verdict::Run,
            "ask" => Verdict::Confirm,
            _ => minds_fleet_agent::NoTools.judge(call),
        }
    }

    fn run(&mut self, call: &ToolCall, effect: &str) -> Box<dyn RunningTool> {
        if call.name == "hang" {
            return Box::new(Hanging { is_stopped: None });
        }
        if call.name != "read" {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(&self.effects);
            file.unwrap().write_all(format!("{effect}\n").as_bytes()).unwrap();
        }
        let text = "written\n".to_owned();
        let outcome = ToolOutcome { is_ok: true, content: text.clone(), rc: Some(0), code: None };
        let events = vec![ToolEvent::Ended(outcome), ToolEvent::Output { stream: Stream::Stdout, text }];
        Box::new(Finished(events))
    }
}

struct Finished(Vec<ToolEvent>);

impl RunningTool for Finished {
    fn next(&mut self, _: Duration) -> Option<ToolEvent> {
        self.0.pop()
    }

    fn stop(&mut self, _: bool) {}
}

struct Hanging {
    is_stopped: Option<bool>,
}

impl RunningTool for Hanging {
    fn next(&mut self, wait: Duration) -> Option<ToolEvent> {
        let Some(is_hard) = self.is_stopped.take() else {
            std::thread::park_timeout(wait);
            return None;
        };
        let content = if is_hard { "killed" } else { "terminated" }.to_owned();
        Some(ToolEvent::Ended(ToolOutcome { content, ..ToolOutcome::default() }))
    }

    fn stop(&mut self, is_hard: bool) {
        self.is_stopped = Some(is_hard);
    }
}
