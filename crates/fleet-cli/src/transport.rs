//! The bus of a fleet.

use minds_fleet_bus::{Bus, LocalBus, RedisBus, RedisSettings};
use minds_fleet_protocol::Failure;
use minds_operations::{FleetPlace, FleetTransport, RedisPlace};

/// Opens the bus of a fleet.
///
/// # Errors
///
/// Fails if the environment or the configuration of the transport cannot be used.
pub(crate) fn open(place: &FleetPlace) -> Result<Box<dyn Bus>, Failure> {
    match &place.transport {
        FleetTransport::Local => Ok(Box::new(LocalBus::new(&place.fleet_id)?)),
        FleetTransport::Redis(server) => Ok(Box::new(RedisBus::new(&settings(place, server))?)),
    }
}

fn settings(place: &FleetPlace, server: &RedisPlace) -> RedisSettings {
    RedisSettings {
        username: server.username.clone(),
        password: server.password.as_ref().map(|password| password.expose().clone()),
        prefix: server.prefix.clone(),
        tls: server.is_encrypted,
        ca_file: server.ca_file.as_ref().map(|file| place.workspace.join(file)),
        allow_plaintext: server.allows_plaintext,
        ..RedisSettings::new(server.url.expose().clone())
    }
}
