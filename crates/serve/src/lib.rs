//! What every server for this machine has.
//!
//! [`run`] is the one thread that everything happens on, [`Ending`] waits until somebody asks for the end, a [`Listener`]
//! takes requests of this machine alone and as many at once as there is room for, a [`Token`] is the word by which those who
//! were told are known, and a [`Ticket`] one that lets in once. What is answered is up to the server.
//!
//! ```
//! use minds_serve::Token;
//!
//! let token = Token::agreed("an-agreed-upon-word").unwrap();
//! assert!(token.is(b"an-agreed-upon-word") && !token.is(b"another-word"));
//! assert!(token.is_bearer(Some(b"Bearer an-agreed-upon-word")));
//! ```

mod ending;
mod error;
mod listener;
mod origin;
mod ticket;
mod timed;
mod token;
mod visit;

pub use ending::{Ending, run};
pub use error::ServeError;
pub use listener::{Limits, Listener, Reply, reply};
pub use origin::{Claims, Stranger};
pub use ticket::{TICKET_LIFETIME, Ticket};
pub use token::Token;
pub use visit::Visit;
