//! A word that lets in once.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::Instant;

use crate::{ServeError, Token};

/// For how long a ticket can be used.
pub const TICKET_LIFETIME: Duration = Duration::from_mins(5);

/// A word that can be exchanged once, and for a while, for what it stands for: it may be seen by others afterwards, as
/// arguments of programs are.
#[derive(Debug)]
pub struct Ticket {
    word: Token,
    ends: Instant,
    is_used: Mutex<bool>,
}

impl Ticket {
    /// Returns a new one that nobody can guess.
    ///
    /// # Errors
    ///
    /// Fails if the system gives no random bytes.
    pub fn issue() -> Result<Self, ServeError> {
        let ends = Instant::now() + TICKET_LIFETIME;
        Ok(Self { word: Token::random()?, ends, is_used: Mutex::new(false) })
    }

    /// Returns the word.
    pub fn as_str(&self) -> &str {
        self.word.as_str()
    }

    /// Uses the ticket; returns whether the word is the right one and this was the first use in time.
    pub fn redeem(&self, given: &[u8]) -> bool {
        let mut is_used = self.is_used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_valid = self.word.is(given) && !*is_used && Instant::now() < self.ends;
        *is_used |= is_valid;
        is_valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_ticket_is_good_once_and_for_a_while() {
        let ticket = Ticket::issue().unwrap();
        assert!(!ticket.redeem(b"") && !ticket.redeem(b"wrong"));
        tokio::time::advance(TICKET_LIFETIME / 2).await;
        assert!(ticket.redeem(ticket.as_str().as_bytes()));
        assert!(!ticket.redeem(ticket.as_str().as_bytes()));
        let late = Ticket::issue().unwrap();
        tokio::time::advance(TICKET_LIFETIME).await;
        assert!(!late.redeem(late.as_str().as_bytes()));
        assert!(!format!("{late:?}").contains(late.as_str()));
    }
}
