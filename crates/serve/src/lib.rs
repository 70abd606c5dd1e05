//! What every server for this machine has.
//!
//! [`run`] is the one thread that everything happens on, [`Ending`] waits until somebody asks for the end, a [`Listener`]
//! takes requests of this machine alone and as many at once as there is room for, and a [`Token`] is the word by which those
//! who were told are known. What is answered is the affair of who serves.
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
mod token;

pub use ending::{Ending, run};
pub use error::ServeError;
pub use listener::{Listener, Reply, reply};
pub use token::Token;
