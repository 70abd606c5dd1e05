//! The common parts of servers for clients on the same machine.
//!
//! [`run`] runs a server on one thread, [`ShutdownSignal`] waits for a signal to stop, a [`Listener`] accepts a limited number
//! of connections from this machine, a [`Token`] authenticates requests, and a [`Ticket`] authenticates one request once. The
//! server itself answers the requests.
//!
//! ```
//! use minds_server::Token;
//!
//! let token = Token::parse("an-agreed-upon-token").unwrap();
//! assert!(token.matches(b"an-agreed-upon-token") && !token.matches(b"another-token"));
//! assert!(token.is_bearer(Some(b"Bearer an-agreed-upon-token")));
//! ```

mod connection;
mod error;
mod listener;
mod origin;
mod runtime;
mod ticket;
mod token;
mod write_timeout;

pub use connection::Connection;
pub use error::ServeError;
pub use listener::{Limits, Listener, Reply, reply};
pub use origin::{Claims, OriginError};
pub use runtime::{ShutdownSignal, run};
pub use ticket::{TICKET_LIFETIME, Ticket};
pub use token::Token;
