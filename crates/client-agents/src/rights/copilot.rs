//! Access lists in Copilot CLI, which has permissions in no file.

use minds_access_control::{Access, ListKind, Policy};
use minds_clients::permissions::CopilotPermissions;

use super::{Hands, Obstacle, find_unreadable, limits};

/// Returns the permissions with which an agent works: its tools bind it, and no path does. Task packages can be read.
///
/// # Errors
///
/// Returns the list that the client cannot hold: any that limits something, and what is reserved for writing.
pub fn translate(policy: &Policy, hands: Hands) -> Result<CopilotPermissions, Obstacle> {
    if let Some(obstacle) = find_unreadable(policy, hands) {
        return Err(obstacle);
    }
    let given = Access::ALL.into_iter().filter(|access| hands.has(*access)).find_map(|access| {
        let kind = ListKind::ALL.into_iter().find(|kind| limits(policy, access, *kind))?;
        Some(kind.key(access))
    });
    if let Some(list) = given {
        let reason = "an agent of Copilot has tools, but no limits for paths".to_owned();
        return Err(Obstacle { list, entry: None, reason });
    }
    if hands.writes {
        let list = ListKind::Deny.key(Access::Write);
        let reason = "an agent of Copilot that writes can change `.minds`, with its own lists".to_owned();
        return Err(Obstacle { list, entry: None, reason });
    }
    // Without a tool that writes nothing is written, whatever a session allows.
    Ok(CopilotPermissions { allows_all: true, deny: vec!["write".to_owned()], ..Default::default() })
}
