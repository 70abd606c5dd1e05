//! Imports of files in memory.

use minds_access_control::{Access, Policy};
use minds_client_import::{Directories, IGNORE_FILES, ImportRequest, Imported, ImportedMember, import};
use minds_clients::{Client, ClientsFamily};
use minds_diagnostics::{Problems, SourceFile};
use minds_vfs::{Location, MountId, Snapshot, WorkspacePath};

/// The absolute path of the workspace in tests.
pub(crate) const WORKSPACE: &str = "/home/me/project";

/// Imports the files of a snapshot.
pub(crate) fn import_snapshot(snapshot: &Snapshot, client: Option<&str>) -> Imported {
    let family = ClientsFamily::load(snapshot).value;
    let place = |name: &&str| Location::new(MountId::WORKSPACE, WorkspacePath::parse(name).unwrap());
    let ignore_files: Vec<SourceFile> =
        IGNORE_FILES.iter().filter_map(|name| snapshot.source(&place(name), &mut Problems::new())).collect();
    import(&ImportRequest {
        family: &family,
        client: client.map(|id| Client::find(id).expect("the client is known")),
        ignore_files: &ignore_files,
        directories: Directories { workspace: WORKSPACE, home: Some("/home/me") },
    })
}

/// Imports files by path.
pub(crate) fn import_files(files: &[(&str, &str)]) -> Imported {
    let mut snapshot = Snapshot::new();
    for (path, text) in files {
        snapshot = snapshot.with_text(WorkspacePath::parse(path).unwrap(), text);
    }
    import_snapshot(&snapshot, None)
}

/// Returns the policy that a member has in the team.
pub(crate) fn policy(member: &ImportedMember) -> Policy {
    let mut builder = Policy::builder();
    for (access, limits) in [(Access::Read, &member.access.read), (Access::Write, &member.access.write)] {
        for entry in limits.allow.iter().flatten() {
            builder = builder.allow(access, entry).expect("the entry is valid");
        }
        for entry in &limits.deny {
            builder = builder.deny(access, entry).expect("the entry is valid");
        }
    }
    builder.build()
}
