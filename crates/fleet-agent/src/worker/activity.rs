//! What a turn waits for.

use std::time::Duration;

use minds_model_client::{Answer, ModelError, ModelEvent};

use super::summary::Draft;
use minds_agent_tools::{RunningTool, ToolEvent};

/// The longest time for which a stop is not noticed.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// What a turn waits for.
pub(super) enum Activity {
    /// For nothing.
    None,
    /// For the model.
    Answer(Box<dyn Answer>),
    /// For the end of a pause, at a time of the clock.
    Pause(Duration),
    /// For a tool.
    Tool(Box<dyn RunningTool>),
    /// For the owner.
    Confirmation,
    /// For a summary.
    Summary(Draft),
}

/// What happened.
pub(super) enum Happened {
    Model(Result<ModelEvent, ModelError>),
    PauseEnded,
    Tool(ToolEvent),
}

impl Activity {
    /// Waits at most one tick.
    pub(super) fn wait(&mut self, clock: Duration) -> Option<Happened> {
        match self {
            Self::Answer(answer) => answer.next(TICK).transpose().map(Happened::Model),
            Self::Tool(tool) => tool.next(TICK).map(Happened::Tool),
            Self::Pause(end) if *end <= clock => Some(Happened::PauseEnded),
            Self::None | Self::Confirmation | Self::Summary(_) | Self::Pause(_) => None,
        }
    }

    /// Returns whether the waiting itself takes a tick.
    pub(super) fn takes_time(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Tool(_) | Self::Summary(_))
    }
}
