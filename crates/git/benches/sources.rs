//! The cost of reading and installing very many items compared with the minimum, in the same run.
//!
//! `cargo bench -p minds-git --bench sources` prints medians of alternating runs and their ratios.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "a benchmark measures time, and may stop at once"
)]
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::fs;
use std::hint::black_box;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use minds_fs::Root;
use minds_fs::install::{PlaceState, Transaction};
use minds_git::{Git, ObjectId};
use minds_vfs::{DirectoryScope, FileMode, Location, MountId, Scope, WorkspacePath};

const SKILLS: usize = 2_000;
const ROUNDS: usize = 15;

/// A timed operation.
type Run<'r> = (&'static str, Box<dyn Fn() + 'r>);

fn main() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    read(folder.path());
    install(folder.path());
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).expect("the path is valid")
}

fn text(number: usize) -> String {
    format!("---\nname: s{number}\ndescription: Skill {number}.\n---\n{}", "Do it well.\n".repeat(130))
}

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-C"]).arg(folder).args(args);
    let output = command.stderr(Stdio::null()).output().expect("git starts");
    assert!(output.status.success(), "{args:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Reads the front matter of all skills of a bare repository, and of its working tree.
fn read(folder: &Path) {
    let origin = folder.join("origin");
    fs::create_dir(&origin).expect("the folder can be made");
    for number in 0..SKILLS {
        let skill = origin.join(format!("skills/s{number}"));
        fs::create_dir_all(&skill).expect("the folder can be made");
        fs::write(skill.join("SKILL.md"), text(number)).expect("the file can be written");
    }
    git(&origin, &["init", "--quiet"]);
    git(&origin, &["add", "--all"]);
    git(&origin, &["commit", "--quiet", "--message=x"]);
    let bare = folder.join("bare.git");
    git(folder, &["clone", "--quiet", "--bare", "--no-local", "origin", "bare.git"]);
    let commit = ObjectId::parse(&git(&bare, &["rev-parse", "HEAD"])).expect("it is a commit");
    let scope = Scope {
        files: Vec::new(),
        directories: vec![DirectoryScope {
            directory: Location::new(MountId::WORKSPACE, path("skills")),
            depth: 3,
            wants: |path| path.file_name() == Some("SKILL.md"),
            names: |_| false,
            max_entries: 100_000,
            max_bytes: 1 << 20,
            max_total_bytes: 64 << 20,
        }],
    };
    let program = Git::find(false).expect("git is here");
    let root = Root::open(&origin, MountId::WORKSPACE).expect("it can be opened");
    let of_tree = || {
        let tree = program.tree(&bare, &commit, MountId::WORKSPACE).expect("it can be listed");
        black_box(tree.snapshot(&scope).expect("it can be read")).iter().count()
    };
    assert_eq!(of_tree(), SKILLS * 2);
    assert_eq!(root.snapshot(&scope).iter().count(), SKILLS * 2);
    let runs: [Run<'_>; 3] = [
        ("git alone", Box::new(|| git_alone(&bare))),
        ("from a bare repository", Box::new(|| assert_eq!(of_tree(), SKILLS * 2))),
        ("from a folder", Box::new(|| drop(black_box(root.snapshot(&scope))))),
    ];
    println!("reading {SKILLS} skills, {ROUNDS} alternating runs");
    measure(&runs);
}

/// Runs the two required programs, and ignores their output.
fn git_alone(bare: &Path) {
    let list = Command::new("git").current_dir(bare).args(["ls-tree", "-r", "-z", "-l", "HEAD"]).output();
    black_box(list.expect("git starts"));
    let mut all = Command::new("git");
    all.current_dir(bare).args(["cat-file", "--batch", "--batch-all-objects", "--unordered"]);
    black_box(all.output().expect("git starts"));
}

/// Installs all skills, each with a link.
fn install(folder: &Path) {
    let counter = std::cell::Cell::new(0);
    let next = || {
        counter.set(counter.get() + 1);
        let home = folder.join(format!("home-{}", counter.get()));
        fs::create_dir_all(home.join("agents/skills")).expect("the folder can be made");
        home
    };
    let texts: Vec<String> = (0..SKILLS).map(text).collect();
    let plain = || {
        let home = next();
        for (number, text) in texts.iter().enumerate() {
            let skill = home.join(format!("store/skill/s{number}"));
            fs::create_dir_all(&skill).expect("the folder can be made");
            fs::write(skill.join("SKILL.md"), text).expect("the file can be written");
            symlink(&skill, home.join(format!("agents/skills/s{number}"))).expect("the link can be made");
        }
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(fs::File::open(&home).expect("it can be opened"))
            .expect("it can be brought to disk");
    };
    let ours = || {
        let home = next();
        let root = Root::open(&home, MountId::new("home")).expect("it can be opened");
        let lobe = home.join("agents");
        let mut all = Transaction::begin(&root).expect("it begins");
        for (number, text) in texts.iter().enumerate() {
            let (item, store) = (format!("s{number}"), format!("store/skill/s{number}"));
            let staged = all.folder().join(&item).expect("the path is valid");
            let file = staged.join("SKILL.md").expect("the path is valid");
            all.write(&file, text.as_bytes(), FileMode::Regular).expect("it can be written");
            let target = home.join(&store);
            all.put(staged, path(&store));
            let target = target.to_str().expect("it is text");
            all.link(&lobe, path(&format!("skills/{item}")), target, PlaceState::Nothing);
        }
        all.commit().expect("it can be installed");
    };
    let runs: [Run<'_>; 2] = [("bare calls, one barrier", Box::new(plain)), ("installed", Box::new(ours))];
    println!("installing {SKILLS} skills with a link each, {ROUNDS} alternating runs");
    measure(&runs);
}

fn measure(runs: &[Run<'_>]) {
    let mut times = vec![Vec::with_capacity(ROUNDS); runs.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in runs.iter().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(start.elapsed());
        }
    }
    let mut base = None;
    for ((name, _), times) in runs.iter().zip(&mut times) {
        times.sort_unstable();
        let median = times.get(ROUNDS / 2).map_or(0.0, std::time::Duration::as_secs_f64) * 1e3;
        println!("{name:24} {median:8.1} ms  {:5.2} x", median / *base.get_or_insert(median));
    }
    println!();
}
