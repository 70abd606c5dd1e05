//! Methods about the frames, the history, the prompt and the tools.

use minds_fleet_bus::{Start, read_page};
use minds_fleet_protocol::methods::{
    Done, HistoryClear, HistoryRead, HistoryReadValue, MemoryStatsValue, PromptAppend, PromptGetValue,
    PromptSet, PromptSetValue, Tail, TailValue, ToolsListValue, True,
};
use minds_fleet_protocol::{ErrorCode, Failure, Json, limits};

use super::{DONE, Requests};
use crate::config::hash;
use crate::running::Command;

impl Requests<'_> {
    /// Returns retained frames.
    pub(super) fn tail(&self, tail: &Tail) -> Result<TailValue, Failure> {
        let limit = tail.limit.unwrap_or(limits::MAX_TAIL_FRAMES);
        let mut follower = self.bus.follow(&self.shared.id, Start::Offset(tail.from_offset.unwrap_or(0)))?;
        read_page(follower.as_mut(), tail.from_offset, limit)
    }

    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    pub(super) fn memory_stats(&self) -> MemoryStatsValue {
        let status = self.shared.status();
        MemoryStatsValue {
            tokens_in_ctx: status.context.tokens,
            ctx_pct: status.context.part(),
            summarize_threshold: limits::CONTEXT_SUMMARIZE_LATER as f64 / 100.0,
        }
    }

    pub(super) fn history(&self, read: &HistoryRead) -> Result<HistoryReadValue, Failure> {
        let count = usize::try_from(read.n).unwrap_or(usize::MAX);
        self.shared.store().read_history(count, read.before)
    }

    pub(super) fn clear_history(&self, clear: &HistoryClear) -> Result<Done, Failure> {
        if clear.agent != self.shared.id {
            let message = format!("invalid `agent`: expected `{}`, to confirm the removal", self.shared.id);
            return Err(Failure::new(ErrorCode::ArgsInvalid, message));
        }
        if self.shared.status().current.is_some() {
            return Err(Failure::new(ErrorCode::Busy, "the agent works on an item: interrupt it first"));
        }
        self.shared.store().clear_history()?;
        self.shared.command(Command::Look);
        Ok(DONE())
    }

    pub(super) fn prompt(&self) -> Result<PromptGetValue, Failure> {
        let prompt = self.configuration.load()?.prompt;
        Ok(PromptGetValue {
            effective: prompt.effective,
            base: prompt.base,
            overlay_hash: hash(&prompt.overlay),
            overlay: prompt.overlay,
        })
    }

    /// Adds a line to the overlay.
    pub(super) fn append_to_prompt(&self, append: &PromptAppend) -> Result<Done, Failure> {
        self.configuration.append_to_overlay(&append.line).map(|()| DONE())
    }

    /// Replaces the overlay.
    pub(super) fn set_prompt(&self, set: &PromptSet) -> Result<PromptSetValue, Failure> {
        let overlay = set.overlay.as_deref().filter(|_| set.base.is_none()).ok_or_else(|| {
            let message = "this version of the agent changes only the overlay of its prompt";
            Failure::new(ErrorCode::ArgsInvalid, message)
        })?;
        self.configuration.replace_overlay(overlay, set.overlay_hash.as_deref())?;
        Ok(PromptSetValue { ok: True, overlay_hash: self.prompt()?.overlay_hash })
    }

    /// Checks the files. The next step reads them anyway.
    pub(super) fn reload_prompt(&self) -> Result<Done, Failure> {
        self.configuration.load().map(|_| DONE())
    }

    pub(super) fn tools(&self) -> Result<ToolsListValue, Failure> {
        let config = self.configuration.load()?;
        let listed = config.tools.list();
        let tools: Result<Vec<Json>, _> = listed.iter().map(Json::from_value).collect();
        let tools = tools.map_err(|error| internal(&error))?;
        let transport = serde_json::json!({ "kind": self.bus.kind(), "ok": true });
        let transport = Json::from_value(&transport).map_err(|error| internal(&error))?;
        let engine = config.engine.as_ref().map(|engine| Json::from_value(&engine.report())).transpose();
        let engine = engine.map_err(|error| internal(&error))?;
        let sandbox = self.info.sandbox.clone();
        Ok(ToolsListValue { tools, sandbox, transport, servers: Vec::new(), engine })
    }
}

fn internal(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::HandlerError, error.to_string())
}
