//! The verdict about a tool call.

/// What the client should do. The order is that of strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The access lists do not object.
    #[default]
    Allow,
    /// A person should decide.
    Ask,
    /// The call must not be made.
    Deny,
}

/// The verdict, with the reasons for the strictest outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    outcome: Outcome,
    reasons: Vec<String>,
}

/// The maximum number of reasons: a patch can touch thousands of denied files.
const MAX_REASONS: usize = 5;

impl Verdict {
    /// Returns a verdict that denies.
    pub fn deny(reason: impl Into<String>) -> Self {
        let mut verdict = Self::default();
        verdict.add(Outcome::Deny, reason);
        verdict
    }

    /// Adds a reason. It is kept if no other reason is stricter.
    pub(crate) fn add(&mut self, outcome: Outcome, reason: impl Into<String>) {
        if outcome > self.outcome {
            self.outcome = outcome;
            self.reasons.clear();
        }
        if outcome == self.outcome && outcome != Outcome::Allow && self.reasons.len() < MAX_REASONS {
            let reason = reason.into();
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
    }

    /// Returns what the client should do.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns the reasons; none if the call is allowed.
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// Returns the reasons, joined.
    pub(crate) fn text(&self) -> String {
        self.reasons.join("; ")
    }
}
