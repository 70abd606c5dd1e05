//! Commands with their supervisor, as an agent starts them.

mod escapes;
mod environment;
mod place;
mod rules;
mod running;
