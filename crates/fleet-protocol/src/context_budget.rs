//! How full the context of a model is, and what follows from it.

use crate::limits::{
    CHARACTERS_PER_TOKEN, CONTEXT_REFUSE, CONTEXT_SUMMARIZE_FIRST, CONTEXT_SUMMARIZE_LATER,
    MAX_SUMMARY_TOKENS,
};

/// The use of a context window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextBudget {
    /// The tokens in the context.
    pub tokens: u64,
    /// The size of the window in tokens. 0 means that it is unknown; then nothing is summarized or refused.
    pub window: u64,
}

/// What an agent does because of the use of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContextPressure {
    /// Nothing.
    Low,
    /// Above 0.75: summarize the oldest turns after this turn.
    SummarizeAfterTurn,
    /// At least 0.90: summarize before the next step.
    SummarizeBeforeStep,
    /// Above 0.95: also answer `input` with `busy`.
    RefuseInput,
}

/// What follows from the length of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryVerdict {
    /// It is used.
    Accept,
    /// It is too long: one attempt with a stricter instruction follows.
    RetryStricter,
    /// It is too long again: the turns stay as they are.
    KeepTurns,
}

impl ContextBudget {
    /// Returns the used part of the window: 0 for an empty or unknown one, and more than 1 if it is exceeded.
    #[expect(clippy::cast_precision_loss, reason = "a part does not need all digits of a number above 2^53")]
    pub fn part(self) -> f64 {
        if self.window == 0 { 0.0 } else { self.tokens as f64 / self.window as f64 }
    }

    /// Returns what the agent does. The limits are compared exactly, without rounding.
    pub fn pressure(self) -> ContextPressure {
        let used = u128::from(self.tokens) * 100;
        let percent = |part: u64| u128::from(self.window) * u128::from(part);
        if self.window == 0 {
            ContextPressure::Low
        } else if used > percent(CONTEXT_REFUSE) {
            ContextPressure::RefuseInput
        } else if used >= percent(CONTEXT_SUMMARIZE_FIRST) {
            ContextPressure::SummarizeBeforeStep
        } else if used > percent(CONTEXT_SUMMARIZE_LATER) {
            ContextPressure::SummarizeAfterTurn
        } else {
            ContextPressure::Low
        }
    }
}

/// Estimates the number of tokens of a string, for models that do not report it: a quarter of its characters.
pub fn estimate_tokens(text: &str) -> u64 {
    let characters = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    characters.div_ceil(CHARACTERS_PER_TOKEN)
}

/// Decides about a summary by its number of tokens; `attempt` counts from 1.
pub fn judge_summary(tokens: u64, attempt: u32) -> SummaryVerdict {
    if tokens <= MAX_SUMMARY_TOKENS {
        SummaryVerdict::Accept
    } else if attempt <= 1 {
        SummaryVerdict::RetryStricter
    } else {
        SummaryVerdict::KeepTurns
    }
}

/// Returns how many of the last summaries fit into a budget of tokens. `tokens` are in order, the newest last.
pub fn count_summaries(tokens: &[u64], budget: u64) -> usize {
    let sums = tokens.iter().rev().scan(0_u64, |sum, tokens| {
        *sum = sum.saturating_add(*tokens);
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= budget).count()
}
