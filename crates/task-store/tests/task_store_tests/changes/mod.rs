//! Changing task packages: nothing is lost, torn or believed.
#![cfg(unix)]

mod external_files;
mod faults;
mod history;
mod readers;
