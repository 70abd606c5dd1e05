//! The file with the accepted policy.

use std::os::unix::fs::PermissionsExt as _;

use minds_agent_tools::PolicyFile;
use minds_fleet_protocol::{AgentId, ErrorCode};

use crate::support::Place;

#[test]
fn an_accepted_policy_is_read_again() {
    let place = Place::new();
    let id = AgentId::parse("a-b/c").unwrap();
    let file = PolicyFile::at(place.path("state/fleet"), &id);
    assert_eq!(file.read().unwrap(), None);
    let mut policy = place.policy();
    file.accept(&policy).unwrap();
    assert_eq!(file.read().unwrap().as_ref(), Some(&policy));
    policy.r#unsafe = true;
    file.accept(&policy).unwrap();
    assert_eq!(file.read().unwrap(), Some(policy.clone()));
    let path = place.path("state/fleet/a-b-c.policy.json");
    let bits = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((bits(path.clone()), bits(place.path("state/fleet"))), (0o600, 0o700));
    // Another agent with the same name of the file.
    let other = PolicyFile::at(place.path("state/fleet"), &AgentId::parse("a/b-c").unwrap());
    assert_eq!(other.read().unwrap_err().code(), Some(ErrorCode::ConfigInvalid));
}

/// A file that cannot be understood is never taken for an absent one, which the next start would accept.
#[test]
fn a_damaged_file_gives_nothing() {
    let place = Place::new();
    let file = PolicyFile::at(place.path("state"), &AgentId::parse("a/b").unwrap());
    file.accept(&place.policy()).unwrap();
    let good = place.read("state/a-b.policy.json");
    let cases = [
        String::new(),
        "{}".to_owned(),
        good.chars().take(good.len() / 2).collect(),
        good.replace("\"version\":1", "\"version\":2"),
        good.replace("\"unsafe\"", "\"later\":true,\"unsafe\""),
        good.replace("\"unsafe\":false", "\"unsafe\":1"),
    ];
    for text in cases {
        place.write("state/a-b.policy.json", &text);
        assert_eq!(file.read().unwrap_err().code(), Some(ErrorCode::ConfigInvalid), "{text}");
    }
    std::fs::remove_file(place.path("state/a-b.policy.json")).unwrap();
    std::os::unix::fs::symlink(place.path("outside/canary"), place.path("state/a-b.policy.json")).unwrap();
    assert_eq!(file.read().unwrap_err().code(), Some(ErrorCode::ConfigInvalid));
    file.accept(&place.policy()).unwrap_err();
    assert_eq!(place.read("outside/canary"), "secret of the owner\n");
}
