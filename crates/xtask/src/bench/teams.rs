//! Generated teams.

use std::path::{Path, PathBuf};

/// The number of different access lists of [`Team::EqualLists`].
const LISTS: usize = 37;

/// What distinguishes the members of a team.
#[derive(Clone, Copy)]
pub(super) enum Team {
    /// Each member has a directory of its own, and the lists have no wildcards.
    OwnDirectories,
    /// The members have 37 different lists: two deny entries, and two or three allow entries. Half of the entries have
    /// wildcards.
    EqualLists,
}

impl Team {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::OwnDirectories => "own directories",
            Self::EqualLists => "equal lists",
        }
    }

    /// Writes a workspace with a valid team of so many members; returns its directory and the size of the team
    /// file.
    pub(super) fn write(self, members: usize, folder: &Path) -> (PathBuf, usize) {
        let workspace = folder.join(format!("team-of-{members}-with-{}", self.title().replace(' ', "-")));
        let team = self.content(members);
        std::fs::create_dir_all(workspace.join(".minds")).expect("the folder can be made");
        std::fs::write(workspace.join(".minds/team.yaml"), &team).expect("the file can be written");
        (workspace, team.len())
    }

    fn content(self, members: usize) -> String {
        let head = "member_defaults:\n  provider: codex\n  model: gpt-5.2\nmembers:\n";
        let member = |id: usize| {
            format!(
                "  # Member number {id}.\n  member-{id}:\n    name: Member {id}\n    icon: M\n    gofor:\n      - part {id}\n\
                 \x20   toolsets:\n      - ws_read\n      - ws_mod\n{}    streaming: true\n",
                self.lists(id)
            )
        };
        head.to_owned() + &(0..members).map(member).collect::<String>()
    }

    fn lists(self, id: usize) -> String {
        match self {
            Self::OwnDirectories => format!(
                "    write_dirs: [src/part-{id}, docs]\n    no_write_dirs:\n      - src/part-{id}/generated\n"
            ),
            Self::EqualLists => {
                let area = id % LISTS;
                let examples = if area.is_multiple_of(2) {
                    String::new()
                } else {
                    format!(", 'examples/**/area-{area}'")
                };
                format!(
                    "    write_dirs: [src/area-{area}, 'docs/*/area-{area}'{examples}]\n    no_write_dirs:\n\
                     \x20     - src/area-{area}/generated\n      - '**/*.key'\n"
                )
            }
        }
    }
}
