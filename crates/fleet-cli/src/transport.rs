//! The bus of a fleet.

use minds_fleet_bus::{Bus, LocalBus};
use minds_fleet_protocol::{ErrorCode, Failure};
use minds_operations::{FleetPlace, FleetTransport};

/// Opens the bus of a fleet.
///
/// # Errors
///
/// Fails if the environment or the configuration of the transport cannot be used.
pub(crate) fn open(place: &FleetPlace) -> Result<Box<dyn Bus>, Failure> {
    match &place.transport {
        FleetTransport::Local => Ok(Box::new(LocalBus::new(&place.fleet_id)?)),
        FleetTransport::Redis(_) => Err(Failure::new(
            ErrorCode::RedisUnavailable,
            "this build of `minds-fleet` does not support Redis",
        )),
    }
}
