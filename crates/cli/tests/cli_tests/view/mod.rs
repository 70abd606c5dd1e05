//! The page of a task, for browsers and for untrusted clients: the real command, over loopback.

mod access;
mod changes;
mod events;
mod served;
mod start;
