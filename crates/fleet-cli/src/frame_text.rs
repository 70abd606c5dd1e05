//! Frames as text for people.

use minds_diagnostics::emit::{printable, visible};
use minds_fleet_protocol::{EndReason, Event, EventKind, Frame, OwnerEvent, Stream, Token};

/// The longest part of a line that comes from an agent.
const MAX_CELL: usize = 120;

/// Renders frames: text of the model as it comes, everything else as one line with its time.
#[derive(Debug, Default)]
pub(crate) struct FrameText {
    /// Whether the last line is not complete.
    is_open: bool,
    /// Whether offsets are shown.
    has_offsets: bool,
}

impl FrameText {
    pub(crate) fn new(has_offsets: bool) -> Self {
        Self { is_open: false, has_offsets }
    }

    /// Returns the text of a frame.
    pub(crate) fn render(&mut self, frame: &Frame) -> String {
        let Event { kind, qid, .. } = &frame.event;
        if let EventKind::Token(Token { text, .. }) = kind {
            self.is_open = !text.is_empty() && !text.ends_with('\n') || self.is_open && text.is_empty();
            return visible(text).into_owned();
        }
        let Some(line) = describe(kind) else { return String::new() };
        let time = frame.ts.to_rfc3339().unwrap_or_default();
        let time = time.get(11..19).unwrap_or("--:--:--");
        let offset = if self.has_offsets { format!("{} ", frame.offset) } else { String::new() };
        let item = qid.as_ref().filter(|_| !matches!(kind, EventKind::TaskStart(_) | EventKind::TaskEnd(_)));
        let item = item.map(|qid| format!(" ({qid})")).unwrap_or_default();
        format!("{}{time} {offset}{line}{item}\n", self.close())
    }

    /// Ends an incomplete line.
    pub(crate) fn close(&mut self) -> &'static str {
        if std::mem::take(&mut self.is_open) { "\n" } else { "" }
    }
}

/// Returns one line about an event; none for an event of a later version.
fn describe(kind: &EventKind) -> Option<String> {
    Some(match kind {
        EventKind::Token(token) => cell(&token.text),
        EventKind::ToolCall(call) => format!("tool {} {}", cell(&call.name), cell(call.input.as_str())),
        EventKind::ToolResult(result) => {
            let outcome = if result.ok { "ok" } else { "failed" };
            let rc = result.rc.map(|rc| format!(", exit {rc}")).unwrap_or_default();
            let code =
                result.code.clone().map(|code| format!(", {}", String::from(code))).unwrap_or_default();
            format!("tool {} {outcome}{rc}{code}, {} ms", cell(&result.name), result.duration_ms)
        }
        EventKind::TaskStart(start) => format!("task {} started", start.id),
        EventKind::TaskEnd(end) => {
            let outcome = if end.ok { "done" } else { "failed" };
            let reason = end.reason.filter(|reason| *reason != EndReason::Done).map(reason);
            format!(
                "task {} {outcome}{}",
                end.id,
                reason.map(|reason| format!(": {reason}")).unwrap_or_default()
            )
        }
        EventKind::TaskRecover(recover) => {
            let parked: Vec<&str> = recover.parked.iter().map(minds_fleet_protocol::ItemId::as_str).collect();
            let parked =
                if parked.is_empty() { String::new() } else { format!("; parked: {}", parked.join(", ")) };
            format!(
                "recovered {} summaries and {} turns{parked}",
                recover.summaries_loaded, recover.raw_turns_loaded
            )
        }
        EventKind::Warning(warning) => format!("warning: {}", cell(&warning.msg)),
        EventKind::Error(error) => {
            let code =
                error.code.clone().map(|code| format!(" [{}]", String::from(code))).unwrap_or_default();
            format!("error{code}: {}", cell(&error.msg))
        }
        EventKind::StateChange(change) => {
            format!("{}, context {:.0} %", change.state.as_str(), change.ctx_pct * 100.0)
        }
        EventKind::ConfirmRequest(request) => {
            format!("confirmation {} requested: {}", cell(&request.id), cell(&request.title))
        }
        EventKind::ConfirmDone(done) => {
            format!("confirmation {}: {}", cell(&done.id), if done.answer { "yes" } else { "no" })
        }
        EventKind::OwnerChange(change) => {
            let event = match change.event {
                OwnerEvent::Claimed => "claimed",
                OwnerEvent::Released => "released",
                OwnerEvent::Takeover => "taken over",
            };
            let by = change.owner.as_ref().map(|owner| format!(" by {owner}")).unwrap_or_default();
            format!("{event}{by}")
        }
        EventKind::Gap(gap) => format!("gap: the frames {} to {} are not kept any more", gap.from, gap.to),
        _ => return None,
    })
}

/// Returns why the work ended, as the protocol names it.
pub(crate) fn reason(reason: EndReason) -> String {
    serde_json::to_value(reason).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns whether a token is text of the model, and not output of a tool.
pub(crate) fn is_answer(token: &Token) -> bool {
    !token.model.starts_with("tool:") && !matches!(token.stream, Some(Stream::Stdout | Stream::Stderr))
}

/// Returns text of an agent for a part of a line.
fn cell(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_CELL).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    printable(&short).into_owned()
}
