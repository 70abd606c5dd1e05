//! Waiting for frames without looking at files again and again.

use std::path::PathBuf;
use std::time::Duration;

use minds_fleet_protocol::{Caller, Failure};
use minds_fs::{Root, Watched, wait_for};
use minds_vfs::MountId;

use super::connection::Connection;
use super::wire::{ClientHello, ClientLine, PROTOCOL, encode};
use crate::state_record::storage;

/// Waits until an agent reports frames.
#[derive(Debug)]
pub(super) struct FrameWaiter {
    runtime: PathBuf,
    connection: Option<Connection>,
}

impl FrameWaiter {
    pub(super) fn new(runtime: PathBuf) -> Self {
        Self { runtime, connection: None }
    }

    /// Waits for frames, until the agent starts to report them, or for the whole time if it does not run.
    pub(super) fn wait(&mut self, wait: Duration) -> Result<(), Failure> {
        if self.connection.is_none() {
            self.connection = self.connect();
        }
        let watched: Vec<Watched<'_>> = self.connection.iter().map(Connection::watch).collect();
        wait_for(&watched, wait).map_err(|error| storage(&error))?;
        if let Some(connection) = &mut self.connection {
            connection.flush();
            connection.fill();
            while connection.take_line().is_some() {}
        }
        self.connection.take_if(|connection| connection.has_ended());
        Ok(())
    }

    fn connect(&self) -> Option<Connection> {
        let folder = Root::open(&self.runtime, MountId::WORKSPACE).ok()?;
        let mut connection = Connection::new(folder.connect(super::SOCKET).ok()?);
        let caller = Caller::parse("local:follower").ok()?;
        let hello = ClientLine::Hello(ClientHello { protocol: PROTOCOL, caller, key: None });
        connection.send(&encode(&hello));
        Some(connection)
    }
}
