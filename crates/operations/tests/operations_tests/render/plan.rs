//! States, refusals, and what is written.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use minds_operations::{OperationError, clean};
use minds_render::{MANIFEST_FILE, PlanRefusal, State};

use crate::render::tree::{COMPOSE, PROJECT, Tree};

const ENV: &str = "state/envs/shop-lead.env";
const MCP: &str = "state/mcp/shop-lead.json";
const PROMPT: &str = "state/role_prompts/shop-lead.md";
const ALL: [&str; 6] =
    ["state/envs/shop-coder.env", ENV, "state/mcp/shop-coder.json", MCP, MANIFEST_FILE, PROMPT];

fn mode(tree: &Tree, path: &str) -> u32 {
    fs::metadata(tree.path(path)).unwrap().permissions().mode() & 0o777
}

#[track_caller]
fn all_are(tree: &Tree, state: State) {
    let states = tree.states();
    let paths: Vec<&str> = states.keys().map(String::as_str).collect();
    assert_eq!(paths, ALL);
    assert!(states.values().all(|found| *found == state), "{states:?}");
}

#[test]
fn previews_write_nothing_and_a_second_run_changes_nothing() {
    let tree = Tree::new();
    all_are(&tree, State::Created);
    assert!(!tree.exists("state"));
    assert!(tree.render(true, false).would_change);
    all_are(&tree, State::Unchanged);
    let before = tree.state();
    assert!(!tree.render(true, false).would_change);
    assert_eq!(tree.state(), before);
    assert_eq!(tree.read(PROMPT), "Be kind.\n\n\n\u{2014}\n\nYou lead.\n");
}

#[test]
fn private_files_are_readable_by_the_owner_only() {
    let tree = Tree::new();
    tree.render(true, false);
    for path in ALL {
        let expected = if path.contains("/envs/") || path.contains("/mcp/") { 0o600 } else { 0o644 };
        assert_eq!(mode(&tree, path) | 0o044, expected | 0o044, "{path}");
        assert!(expected != 0o600 || mode(&tree, path) == 0o600, "{path}");
    }
}

#[test]
fn equal_files_are_adopted_and_become_private() {
    let tree = Tree::new();
    tree.render(true, false);
    fs::remove_file(tree.path(MANIFEST_FILE)).unwrap();
    fs::set_permissions(tree.path(ENV), fs::Permissions::from_mode(0o644)).unwrap();
    let files = tree.render(false, false).files;
    let closed = files.iter().find(|file| file.path == ENV).unwrap();
    assert_eq!(closed.state, State::Changed);
    assert!(closed.diff.ends_with("\nold mode 100644\nnew mode 100600\n"), "{}", closed.diff);
    let states = tree.states();
    assert_eq!(states[MCP], State::Unchanged);
    assert_eq!(states[MANIFEST_FILE], State::Created);
    assert_eq!(tree.render(true, false).refused, None);
    all_are(&tree, State::Unchanged);
    assert_eq!(mode(&tree, ENV), 0o600);
}

#[test]
fn changed_permissions_are_written() {
    let tree = Tree::new();
    tree.render(true, false);
    fs::set_permissions(tree.path(MCP), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(tree.render(false, false).would_change);
    assert!(tree.render(true, false).would_change);
    assert!(!tree.render(false, false).would_change);
}

/// Concurrent runs write the same files, and none of them fails.
#[test]
fn concurrent_rendering_succeeds() {
    let tree = Tree::new();
    for _ in 0..20 {
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| tree.try_render(true, false))).collect();
            for run in runs {
                assert_eq!(run.join().unwrap().unwrap().refused, None);
            }
        });
        all_are(&tree, State::Unchanged);
        fs::remove_dir_all(tree.path("state")).unwrap();
    }
}

/// Of concurrent runs some find nothing left to remove, and none of them fails.
#[test]
fn concurrent_cleaning_succeeds() {
    let tree = Tree::new();
    let root = tree.root();
    for _ in 0..12 {
        tree.render(true, false);
        let removed: usize = std::thread::scope(|scope| {
            let one = || clean(Path::new("."), Some(&root), true).map(|done| done.removed.len());
            let all: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            all.into_iter().map(|one| one.join().unwrap().unwrap()).sum()
        });
        assert!(removed >= ALL.len());
        assert!(!tree.exists("state"));
    }
}

#[test]
fn rendered_files_follow_their_sources() {
    let tree = Tree::new();
    tree.render(true, false);
    tree.write("projects/shop.yaml", &PROJECT.replace("fast", "slow"));
    let states = tree.states();
    assert_eq!(states[ENV], State::Changed);
    assert!(
        states.iter().all(|(path, state)| path == ENV || path == MANIFEST_FILE || *state == State::Unchanged)
    );
    tree.render(true, false);
    assert!(tree.read(ENV).contains("MODEL=slow\n"));
    all_are(&tree, State::Unchanged);
}

#[test]
fn comments_change_nothing() {
    let tree = Tree::new();
    tree.render(true, false);
    tree.write("team-compose.yaml", &format!("# More.\n{COMPOSE}"));
    all_are(&tree, State::Unchanged);
}

#[test]
fn stale_files_are_removed() {
    let tree = Tree::new();
    tree.render(true, false);
    tree.write(
        "projects/shop.yaml",
        &PROJECT.replace(
            "  lead: {model: fast, role_prompt: [roles/guide.md, roles/lead.md]}",
            "  lead: {model: fast}",
        ),
    );
    let states = tree.states();
    assert_eq!(states[PROMPT], State::Stale);
    tree.render(true, false);
    assert!(!tree.exists(PROMPT) && tree.exists(ENV));
    // With the last agent everything goes, the list of it too.
    tree.write("team-compose.yaml", "version: 2\n");
    assert!(tree.states().values().all(|state| *state == State::Stale));
    tree.render(true, false);
    assert_eq!(tree.state().len(), 0);
    assert!(tree.states().is_empty());
}

#[test]
fn changed_files_are_kept_without_force() {
    let tree = Tree::new();
    tree.render(true, false);
    tree.write(ENV, "MINE=1\n");
    fs::remove_file(tree.path(MCP)).unwrap();
    let before = tree.state();
    let states = tree.states();
    assert_eq!((states[ENV], states[MCP]), (State::Drifted, State::Created));
    let outcome = tree.render(true, false);
    assert!(
        matches!(&outcome.refused, Some(PlanRefusal::Drifted(paths)) if paths.len() == 1),
        "{:?}",
        outcome.refused
    );
    assert_eq!(tree.state(), before);
    assert_eq!(tree.render(true, true).refused, None);
    all_are(&tree, State::Unchanged);
}

#[test]
fn existing_files_are_kept_without_force() {
    let tree = Tree::new();
    tree.write(ENV, "OLD=1\n");
    assert_eq!(tree.states()[ENV], State::Drifted);
    assert!(tree.render(true, false).refused.is_some());
    assert!(!tree.exists(MCP));
    // A changed file is kept even if it is no longer rendered.
    tree.render(true, true);
    tree.write(PROMPT, "mine");
    tree.write("projects/shop.yaml", &PROJECT.replace("[roles/guide.md, roles/lead.md]", "roles/lead.md"));
    assert_eq!(tree.states()[PROMPT], State::Drifted);
    assert!(tree.render(true, false).refused.is_some());
    assert_eq!(tree.read(PROMPT), "mine");
    tree.render(true, true);
    assert!(!tree.exists(PROMPT));
}

#[test]
fn links_are_not_followed_even_with_force() {
    for (at, link) in
        [(ENV, "../../roles/lead.md"), (ENV, "../../nothing"), ("state/envs", "../roles"), ("state", "roles")]
    {
        let tree = Tree::new();
        fs::create_dir_all(tree.path(at).parent().unwrap()).unwrap();
        symlink(link, tree.path(at)).unwrap();
        for force in [false, true] {
            assert_eq!(tree.states()[ENV], State::Drifted, "{at}");
            let outcome = tree.render(true, force);
            assert!(
                matches!(outcome.refused, Some(PlanRefusal::Obstacle { .. })),
                "{at}: {:?}",
                outcome.refused
            );
        }
        assert_eq!(tree.read("roles/lead.md"), "You lead.\n");
        assert_eq!(fs::read_dir(tree.path("roles")).unwrap().count(), 2, "{at}");
    }
}

#[test]
fn a_directory_at_the_path_of_a_file_is_kept() {
    let tree = Tree::new();
    fs::create_dir_all(tree.path(MCP)).unwrap();
    assert!(matches!(tree.render(true, true).refused, Some(PlanRefusal::Obstacle { .. })));
    assert!(!tree.exists(ENV));
}

#[test]
fn errors_prevent_rendering() {
    let tree = Tree::new();
    tree.render(true, false);
    let before = tree.state();
    tree.write("projects/shop.yaml", &PROJECT.replace("roles/lead.md", "roles/missing.md"));
    let outcome = tree.try_render(true, true).unwrap();
    assert_eq!(outcome.report.summary().errors, 1);
    assert!(outcome.files.is_empty());
    assert_eq!(tree.state(), before);
}

#[test]
fn a_foreign_manifest_owns_nothing() {
    let tree = Tree::new();
    tree.render(true, false);
    // It names a file of the user with its true hash.
    let manifest = tree.read(MANIFEST_FILE).replace(PROMPT, "roles/guide.md");
    tree.write(MANIFEST_FILE, &manifest);
    assert_eq!(tree.states()[MANIFEST_FILE], State::Drifted);
    assert!(tree.render(true, false).refused.is_some());
    assert!(matches!(
        clean(Path::new("."), Some(&tree.root()), true),
        Err(OperationError::ForeignManifest { .. })
    ));
    tree.render(true, true);
    assert!(tree.exists("roles/guide.md"));
    all_are(&tree, State::Unchanged);
}

#[test]
fn cleaning_removes_only_unchanged_rendered_files() {
    let tree = Tree::new();
    tree.render(true, false);
    tree.write(ENV, "MINE=1\n");
    tree.write("state/mailbox.db", "mail");
    let before = tree.state();
    let planned = clean(Path::new("."), Some(&tree.root()), false).unwrap();
    assert_eq!(tree.state(), before);
    let done = clean(Path::new("."), Some(&tree.root()), true).unwrap();
    assert_eq!((&planned.removed, &planned.kept), (&done.removed, &done.kept));
    assert_eq!(done.kept, [ENV]);
    assert_eq!(done.removed.len(), 4);
    let left: Vec<String> = tree.state().into_keys().collect();
    assert_eq!(left, ["envs/shop-lead.env", "mailbox.db", "minds-manifest.json"]);
    fs::remove_file(tree.path(ENV)).unwrap();
    clean(Path::new("."), Some(&tree.root()), true).unwrap();
    assert_eq!(tree.state().into_keys().collect::<Vec<_>>(), ["mailbox.db"]);
    let nothing = clean(Path::new("."), Some(&tree.root()), true).unwrap();
    assert!(nothing.removed.is_empty() && nothing.kept.is_empty());
}

#[test]
fn files_outside_are_read_and_never_written() {
    let tree = Tree::new();
    let outside = tree.outside().join("elsewhere");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("more.yml"), "version: 2\nproject: {id: more, name: More, cwd: .}\nmanagers: {a: {role_prompt: [../elsewhere/role.md]}}\n").unwrap();
    fs::write(outside.join("role.md"), "Outside.").unwrap();
    tree.write("team-compose.yaml", &format!("{COMPOSE}  - file: ../elsewhere/more.yml\n"));
    tree.render(true, false);
    assert_eq!(tree.read("state/role_prompts/more-a.md"), "Outside.");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
    assert!(tree.read(MANIFEST_FILE).contains("\"../elsewhere/role.md\""));
}

#[test]
fn a_link_to_the_root_renders_the_same() {
    let tree = Tree::new();
    tree.render(true, false);
    let link = tree.outside().join("link");
    symlink(tree.root(), &link).unwrap();
    let request = minds_operations::RenderRequest {
        root: Some(&link),
        mcp_command: Some("/usr/local/bin/team-mcp"),
        ..minds_operations::RenderRequest::new(Path::new("."))
    };
    let outcome = minds_operations::render(&request).unwrap();
    assert!(!outcome.would_change);
}

#[test]
fn a_path_that_would_add_lines_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("a\nEVIL=1");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("team-compose.yaml"), "version: 2\n").unwrap();
    let request = minds_operations::RenderRequest {
        root: Some(&root),
        ..minds_operations::RenderRequest::new(Path::new("."))
    };
    let refused = minds_operations::render(&request);
    assert!(matches!(refused, Err(OperationError::UnusableRoot { .. })));
}
