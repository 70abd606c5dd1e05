//! A first compose root.

/// The files with their contents.
pub(super) const FILES: &[(&str, &str)] = &[
    (".team/team-compose.yaml", include_str!("../../templates/compose/team-compose.yaml")),
    (".team/projects/main.yaml", include_str!("../../templates/compose/main.yaml")),
    (".team/roles/guide.md", include_str!("../../templates/compose/guide.md")),
    (".team/roles/lead.md", include_str!("../../templates/compose/lead.md")),
    (".team/roles/coder.md", include_str!("../../templates/compose/coder.md")),
    (".team/.gitignore", "state/\n"),
];
