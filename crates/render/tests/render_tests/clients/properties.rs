//! Clients read arbitrary values as intended.

use proptest::prelude::*;

use super::client;
use super::round_trip::round_trip;
use super::strategies::server;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// A client reads the intended values, or the server is refused with a reason.
    #[test]
    fn clients_read_the_intended_values(client in client(), server in server("s")) {
        prop_assert!(round_trip(client, &server).is_ok(), "{client:?} {server:?}: {:?}", round_trip(client, &server));
    }
}
