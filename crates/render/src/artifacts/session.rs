//! The sessions that agents resume after a restart.

use minds_compose::AgentId;
use uuid::Uuid;

/// The UUID namespace of session ids.
const NAMESPACE: Uuid = Uuid::from_u128(0x6dd6_c8a3_44b6_4a18_9b05_91c1_e257_fb3d);

/// Returns the name of the session of an agent.
pub(super) fn name(agent: &AgentId) -> String {
    format!("teamctl:{agent}")
}

/// Returns the id of the session `name`: a version 5 UUID (RFC 9562).
pub(super) fn id(name: &str) -> String {
    Uuid::new_v5(&NAMESPACE, name.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_match_recorded_ids() {
        for (name, expected) in [
            ("teamctl:hello:mgr", "15533422-8bdb-5079-8420-efcdb81dd2e5"),
            ("teamctl:hello:dev", "b63de03a-6d49-5f14-9be3-0aac60a859ed"),
            ("teamctl:alpha:mgr", "b52372e2-8460-583f-b1ec-e5a063a14f57"),
            ("teamctl:a:b", "07c83d4f-c472-5625-8cd2-7bce4e9089ce"),
            ("teamctl:p:ü", "f7eab569-e544-5c93-a436-275ef4b3fb5a"),
            ("teamctl:a:b:c", "398dd078-fddc-5383-9290-bd2505c6675e"),
        ] {
            assert_eq!(id(name), expected, "{name}");
        }
    }
}
