//! Ids of members and servers that a team accepts.

use std::collections::BTreeSet;

use minds_core::{SHADOW_MEMBERS, catalog, member_id_obstacle};
use minds_vfs::portable::fold;

/// The maximum length of the id of a server.
const MAX_SERVER_ID: usize = 64;
/// The maximum length of an id that is made for a member.
const MAX_MEMBER_ID: usize = 64;

/// Returns an id for a member: the name itself, if a team accepts it.
pub(crate) fn member_id(name: &str) -> String {
    let is_reserved = |id: &str| SHADOW_MEMBERS.iter().any(|shadow| fold(id) == shadow.id);
    if member_id_obstacle(name).is_none() && !is_reserved(name) {
        return name.to_owned();
    }
    let mut id = slug(name, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    id.truncate(MAX_MEMBER_ID);
    if member_id_obstacle(&id).is_none() && !is_reserved(&id) { id } else { format!("{id}-agent") }
}

/// Returns an id for a server: the name itself, if a team accepts it.
pub(crate) fn server_id(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut id = slug(name, is_plain);
    id.truncate(MAX_SERVER_ID);
    if !catalog::is_toolset_name(&id) {
        return id;
    }
    id.truncate(MAX_SERVER_ID - "-server".len());
    format!("{id}-server")
}

/// Returns a name with `-` in place of each run of other characters; `agent` if nothing is left.
fn slug(name: &str, is_plain: impl Fn(char) -> bool) -> String {
    let mut id = String::new();
    for c in name.chars() {
        if is_plain(c) {
            id.push(c);
        } else if !id.ends_with('-') {
            id.push('-');
        }
    }
    let id = id.trim_matches(['-', '.']).to_owned();
    if id.is_empty() { "agent".to_owned() } else { id }
}

/// Returns an id that is not in use, with a number if necessary, and adds it to those in use.
pub(crate) fn claim_free(id: &str, used: &mut BTreeSet<String>) -> String {
    let mut free = id.to_owned();
    let mut number = 2;
    while !used.insert(fold(&free)) {
        free = format!("{id}-{number}");
        number += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_ids() {
        for (name, id) in [
            ("reviewer", "reviewer"),
            ("Code Reviewer", "Code-Reviewer"),
            ("-x", "x"),
            ("a/b:c", "a-b-c"),
            ("..", "agent"),
            ("", "agent"),
            ("fuxi", "fuxi-agent"),
            ("nul", "nul-agent"),
            ("x.tsk", "x.tsk-agent"),
        ] {
            assert_eq!(member_id(name), id, "{name}");
            assert_eq!(member_id_obstacle(&member_id(name)), None, "{name}");
        }
        assert_eq!(member_id(&"é/".repeat(400)).len(), "agent".len());
        assert_eq!(member_id(&"x".repeat(1000)).len(), MAX_MEMBER_ID);
        assert_eq!(server_id("memory"), "memory-server");
        assert_eq!(server_id("my.srv"), "my-srv");
        assert_eq!(server_id(&"x".repeat(100)).len(), MAX_SERVER_ID);
    }
}
