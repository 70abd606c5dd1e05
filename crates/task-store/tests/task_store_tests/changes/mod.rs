//! Changing task packages: nothing is lost, torn or believed.
#![cfg(unix)]

mod faults;
mod history;
mod readers;
mod strangers;
