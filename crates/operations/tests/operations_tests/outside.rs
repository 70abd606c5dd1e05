//! Files that a compose root names and that are outside the repository.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use minds_diagnostics::{Report, emit};
use minds_operations::{
    CheckRequest, FixRequest, FmtRequest, RenderOutcome, RenderRequest, UnsavedText, check, fix, fmt, render,
    show_compose,
};
use tempfile::TempDir;

/// What no finding may contain.
const SECRET: &str = "quokka7";

/// A repository with a compose root, and a private directory beside it.
struct Tree {
    folder: TempDir,
}

impl Tree {
    fn new(compose: &str, project: &str) -> Self {
        let tree = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(tree.path("repo/.git")).unwrap();
        tree.write("repo/.team/team-compose.yaml", &format!("version: 2\nprojects: [{compose}]\n"));
        let head = "version: 2\nproject: {id: shop, name: Shop, cwd: ..}\n";
        tree.write("repo/.team/shop.yaml", &format!("{head}{project}"));
        tree.write("repo/.team/roles/lead.md", "You lead.\n");
        tree.write("victim/.netrc", &format!("machine: {SECRET}: {SECRET}\n"));
        tree.write("victim/role.md", &format!("{SECRET}\n"));
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.path(path)).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn check(&self, allows_outside: bool) -> Report {
        check(&CheckRequest { allows_outside, ..CheckRequest::new(&self.path("repo")) }).unwrap().report
    }

    fn codes(&self, allows_outside: bool) -> Vec<&'static str> {
        self.check(allows_outside).diagnostics.iter().map(|found| found.rule.code).collect()
    }

    fn render(&self, write: bool, allows_outside: bool) -> RenderOutcome {
        let root = self.path("repo/.team");
        let request = RenderRequest {
            root: Some(&root),
            mcp_command: Some("team-mcp"),
            write,
            allows_outside,
            ..RenderRequest::new(Path::new("."))
        };
        render(&request).unwrap()
    }
}

/// Returns a report in every format, one after the other.
fn everything(report: &Report) -> String {
    let rules = minds_workspace::rules();
    [
        emit::human(report, emit::Human::default()),
        emit::concise(report),
        emit::json(report),
        emit::sarif(report, emit::Tool { version: "0", rules: &rules }),
        emit::github(report),
    ]
    .concat()
}

#[test]
fn files_outside_are_opened_only_on_request() {
    let role = |path: &str| format!("managers: {{lead: {{role_prompt: [roles/lead.md, {path}]}}}}\n");
    let one = |path: &str| format!("managers: {{lead: {{role_prompt: {path}}}}}\n");
    let attacks = [
        ("{file: ../../victim/.netrc}", String::new()),
        ("{file: link.yaml}", String::new()),
        ("{file: out/.netrc}", String::new()),
        ("{file: ../.git/config}", String::new()),
        ("{file: git.yaml}", String::new()),
        ("{file: shop.yaml}", role("/proc/self/environ")),
        ("{file: shop.yaml}", role("/dev/zero")),
        ("{file: shop.yaml}", role("../../victim/role.md")),
        ("{file: shop.yaml}", one("../../victim/role.md")),
        ("{file: shop.yaml}", role("out/role.md")),
    ];
    for (compose, project) in attacks {
        let tree = Tree::new(compose, &project);
        symlink("../../victim/.netrc", tree.path("repo/.team/link.yaml")).unwrap();
        symlink(tree.path("victim"), tree.path("repo/.team/out")).unwrap();
        symlink("../.git/config", tree.path("repo/.team/git.yaml")).unwrap();
        tree.write("repo/.git/config", &format!("token: {SECRET}: {SECRET}\n"));
        let report = tree.check(false);
        let (seen, human) = (everything(&report), emit::human(&report, emit::Human::default()));
        assert_eq!(tree.codes(false), ["compose/outside-file"], "{compose} {project}: {human}");
        assert!(!seen.contains(SECRET), "{compose} {project}: {human}");
        assert!(!report.files.iter().any(|file| file.contains("victim")), "{:?}", report.files);
        for write in [false, true] {
            let outcome = tree.render(write, false);
            assert!(outcome.files.is_empty(), "{compose} {project}");
            assert!(!everything(&outcome.report).contains(SECRET));
        }
        assert!(!tree.path("repo/.team/state/role_prompts").exists());
        // Whether a file exists there is not said either.
        fs::remove_dir_all(tree.path("victim")).unwrap();
        fs::remove_dir_all(tree.path("repo/.git")).unwrap();
        fs::create_dir(tree.path("repo/.git")).unwrap();
        assert!(everything(&tree.check(false)) == seen, "{compose} {project}");
    }
}

#[test]
fn the_first_files_must_be_inside_too() {
    for file in ["team-compose.yaml", "runtimes/mine.yaml"] {
        let tree = Tree::new("{file: shop.yaml}", "");
        fs::create_dir_all(tree.path("repo/.team/runtimes")).unwrap();
        let path = tree.path("repo/.team").join(file);
        let _ = fs::remove_file(&path);
        symlink(tree.path("victim/.netrc"), path).unwrap();
        for allows_outside in [false, true] {
            let report = tree.check(allows_outside);
            let seen = emit::human(&report, emit::Human::default());
            assert_eq!(seen.contains("leads outside the repository"), !allows_outside, "{file}: {seen}");
            assert!(!everything(&report).contains(SECRET), "{file}: {seen}");
        }
    }
}

#[test]
fn links_inside_the_repository_are_followed() {
    let tree = Tree::new(
        "{file: link.yaml}, {file: shop.yaml}",
        "managers: {lead: {role_prompt: [roles/shared.md, ../shared/role.md, deep/role.md]}}\n",
    );
    let project = "version: 2\nproject: {id: more, name: More, cwd: ..}\n";
    tree.write("repo/shared/more.yaml", project);
    tree.write("repo/shared/role.md", "You share.\n");
    symlink("../shared/more.yaml", tree.path("repo/.team/link.yaml")).unwrap();
    symlink(tree.path("repo/shared/role.md"), tree.path("repo/.team/roles/shared.md")).unwrap();
    symlink("../shared", tree.path("repo/.team/deep")).unwrap();
    assert_eq!(tree.codes(false), [] as [&str; 0]);
    let outcome = tree.render(true, false);
    assert_eq!(emit::concise(&outcome.report), "");
    let text = fs::read_to_string(tree.path("repo/.team/state/role_prompts/shop-lead.md")).unwrap();
    assert_eq!(text.matches("You share.").count(), 3, "{text}");
    // Where there is no repository, the directory that contains the compose root is the limit.
    fs::remove_dir(tree.path("repo/.git")).unwrap();
    assert_eq!(tree.codes(false), [] as [&str; 0]);
    tree.write("repo/.team/roles/lead.md", "");
    fs::remove_dir_all(tree.path("repo/shared")).unwrap();
    symlink("../victim", tree.path("repo/shared")).unwrap();
    assert!(tree.codes(false).iter().all(|code| *code == "compose/outside-file"));
    // A repository in the compose root itself is the limit as well.
    fs::create_dir(tree.path("repo/.team/.git")).unwrap();
    fs::remove_file(tree.path("repo/shared")).unwrap();
    assert_eq!(tree.codes(false).first(), Some(&"compose/outside-file"));
}

/// Files with errors of several kinds, each of which would be quoted.
const MISTAKEN: [&str; 7] = [
    "quokka7: quokka7: quokka7\n",
    "quokka7: 1\nversion: quokka7\nproject: quokka7\n",
    "version: 2\nproject: {id: quokka7/.., name: quokka7, cwd: .., quokka7: 1}\n",
    "version: 2\nproject: {id: a, name: A, cwd: ..}\nmanagers: {m: {can_dm: [quokka7], role_prompt: quokka7.md}}\n",
    "version: 2\nproject: {id: a, name: A, cwd: ..}\nmanagers: {m: {runtime: quokka7, on_rate_limit: [quokka7]}}\n",
    "version: 2\nproject: {id: a, name: A, cwd: ..}\nmanagers: {m: &quokka7 {}, n: *quokka7}\n# minds: allow(quokka7)\n",
    "\u{e9}\u{1f600}: 'quokka7\n",
];

#[test]
fn files_outside_the_workspace_are_not_quoted() {
    for text in MISTAKEN {
        // Outside the repository, and inside it but outside the workspace.
        for (file, allows_outside) in
            [("../../../victim/p.yaml", true), ("../../beside/p.yaml", false), ("link.yaml", true)]
        {
            let tree = Tree::new("", "");
            let compose = format!("version: 2\nprojects: [{{file: {file}}}]\n");
            tree.write("repo/app/.team/team-compose.yaml", &compose);
            tree.write("victim/p.yaml", text);
            tree.write("repo/beside/p.yaml", text);
            symlink("../../../victim/p.yaml", tree.path("repo/app/.team/link.yaml")).unwrap();
            let (base, root) = (tree.path("repo/app"), tree.path("repo/app/.team"));
            for root in [None, Some(root.as_path())] {
                let request = CheckRequest { root, allows_outside, ..CheckRequest::new(&base) };
                let outcome = check(&request).unwrap();
                let seen = everything(&outcome.report);
                assert!(!outcome.report.diagnostics.is_empty(), "{text}");
                let human = emit::human(&outcome.report, emit::Human::default());
                assert!(!seen.contains(SECRET), "{file}: {text}: {human}");
                let request = FixRequest { root, allows_outside, write: true, ..FixRequest::new(&base) };
                let fixed = fix(&request).unwrap();
                assert!(!fixed.diff.contains(SECRET) && fixed.files.is_empty(), "{}", fixed.diff);
            }
            let formatted = fmt(&FmtRequest { write: true, ..FmtRequest::new(&base) }).unwrap();
            assert!(!formatted.diff.contains(SECRET) && !everything(&formatted.report).contains(SECRET));
            let name = Path::new(".team/team-compose.yaml");
            let compose = fs::read(base.join(name)).unwrap();
            let unsaved = Some(UnsavedText { name, bytes: &compose });
            let request = CheckRequest { text: unsaved, allows_outside, ..CheckRequest::new(&base) };
            let outcome = check(&request).unwrap();
            assert!(!everything(&outcome.report).contains(SECRET));
            assert_eq!(fs::read_to_string(tree.path("victim/p.yaml")).unwrap(), text);
            assert_eq!(fs::read_to_string(tree.path("repo/beside/p.yaml")).unwrap(), text);
        }
    }
}

#[test]
fn a_diff_does_not_show_text_from_outside() {
    let project = "managers: {lead: {role_prompt: [roles/lead.md, ../../victim/role.md]}}\n";
    let tree = Tree::new("{file: shop.yaml}", project);
    let diff =
        |outcome: &RenderOutcome| -> String { outcome.files.iter().map(|file| file.diff.as_str()).collect() };
    let outcome = tree.render(true, true);
    assert!(!diff(&outcome).contains(SECRET), "{}", diff(&outcome));
    assert!(diff(&outcome).contains("from outside the workspace"), "{}", diff(&outcome));
    let prompt = tree.path("repo/.team/state/role_prompts/shop-lead.md");
    assert!(fs::read_to_string(&prompt).unwrap().contains(SECRET));
    tree.write("victim/role.md", &format!("{SECRET}\nmore\n"));
    let outcome = tree.render(true, true);
    assert!(!diff(&outcome).contains(SECRET) && fs::read_to_string(&prompt).unwrap().contains("more"));
    // Neither is the old text shown when the file is removed or made of other files.
    for prompt in ["[roles/lead.md]", "roles/lead.md"] {
        let head = "version: 2\nproject: {id: shop, name: Shop, cwd: ..}\n";
        let project = format!("{head}managers: {{lead: {{role_prompt: {prompt}}}}}\n");
        tree.write("repo/.team/shop.yaml", &project);
        let outcome = tree.render(false, false);
        assert!(outcome.would_change && !diff(&outcome).contains(SECRET), "{}", diff(&outcome));
    }
    assert!(show_compose(&tree.path("repo"), None, None, true).is_ok());
}

#[test]
fn a_copy_is_never_more_readable_than_its_sources() {
    let project = "managers: {lead: {role_prompt: [roles/lead.md, roles/second.md]}}\n";
    let copy = "repo/.team/state/role_prompts/shop-lead.md";
    let second = "repo/.team/roles/second.md";
    for mode in [0o640, 0o600, 0o400, 0o750] {
        // A new copy, a changed copy, and an equal copy that is readable by other users.
        let tree = Tree::new("{file: shop.yaml}", project);
        tree.write(second, "Be quiet.\n");
        tree.set_mode(second, mode);
        tree.render(true, false);
        assert_eq!(tree.mode(copy), 0o600, "{mode:o}");
        tree.set_mode(copy, 0o644);
        assert!(tree.render(false, false).would_change, "{mode:o}");
        tree.render(true, false);
        assert_eq!(tree.mode(copy), 0o600, "{mode:o}");
        tree.set_mode(copy, 0o644);
        tree.set_mode(second, 0o600);
        tree.write(second, "Be very quiet.\n");
        tree.set_mode(second, mode);
        tree.render(true, false);
        assert_eq!(tree.mode(copy), 0o600, "{mode:o}");
    }
    let tree = Tree::new("{file: shop.yaml}", project);
    tree.write(second, "Be quiet.\n");
    for path in [second, "repo/.team/roles/lead.md", "repo/.team/shop.yaml", "repo/.team/team-compose.yaml"] {
        tree.set_mode(path, 0o644);
    }
    tree.render(true, false);
    assert_eq!(tree.mode(copy) & 0o004, 0o004, "what everybody may read stays readable");
}
