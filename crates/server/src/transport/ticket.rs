//! A secret that can be used once.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::Instant;

use crate::transport::{ServeError, Token};

/// The time within which a ticket can be used.
pub const TICKET_LIFETIME: Duration = Duration::from_mins(5);

/// A secret that can be redeemed once, within a limited time. It may be disclosed afterwards, as arguments of programs are.
#[derive(Debug)]
pub struct Ticket {
    token: Token,
    ends: Instant,
    is_used: Mutex<bool>,
}

impl Ticket {
    /// Issues a new random ticket.
    ///
    /// # Errors
    ///
    /// Fails if the system does not provide random bytes.
    pub fn issue() -> Result<Self, ServeError> {
        let ends = Instant::now() + TICKET_LIFETIME;
        Ok(Self { token: Token::random()?, ends, is_used: Mutex::new(false) })
    }

    /// Returns the ticket as text.
    pub fn as_str(&self) -> &str {
        self.token.as_str()
    }

    /// Redeems the ticket. Returns whether `secret` is correct and this is the first use, in time.
    pub fn redeem(&self, secret: &[u8]) -> bool {
        let mut is_used = self.is_used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_valid = self.token.matches(secret) && !*is_used && Instant::now() < self.ends;
        *is_used |= is_valid;
        is_valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_ticket_can_be_redeemed_once_within_its_lifetime() {
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
