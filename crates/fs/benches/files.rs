//! The cost of confinement and durability compared with bare system calls, in the same run.
//!
//! `cargo bench -p minds-fs` prints medians of alternating runs and their ratios. Fault injection is
//! compiled in, so releases are slightly faster.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a benchmark measures time, and may stop at once"
)]
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("left out: the bare calls are those of Linux");
}

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::hint::black_box;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use minds_fs::Root;
    use minds_vfs::{Expected, FileMode, MountId, WorkspacePath};
    use rustix::fs::{CWD, Mode, OFlags, fdatasync, fsync, openat, renameat};

    const SIZE: usize = 4_096;
    const READS: usize = 20_000;
    const REPLACEMENTS: usize = 400;

    /// A timed operation, and the target ratio to the first one.
    type Run<'r> = (&'static str, Option<f64>, Box<dyn Fn() + 'r>);

    pub(super) fn main() {
        let on_disk = tempfile::tempdir().expect("a folder can be made");
        replacements("on disk, in the folder for temporary files", on_disk.path(), Some(1.5));
        if let Ok(in_memory) = tempfile::tempdir_in("/dev/shm") {
            // Only the remaining calls are measured here, of which there are more; durable writes go to a
            // disk.
            replacements("in memory, where a disk costs nothing", in_memory.path(), None);
        }
        reads(on_disk.path());
    }

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text).expect("the path is valid")
    }

    /// Replaces a file with the library, and with the minimum of system calls.
    fn replacements(place: &str, folder: &Path, goal: Option<f64>) {
        fs::create_dir_all(folder.join("dir")).expect("the folder can be made");
        let bytes = vec![b'x'; SIZE];
        for name in ["raw", "ours"] {
            fs::write(folder.join("dir").join(name), &bytes).expect("the file can be written");
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = openat(CWD, folder.join("dir"), flags, Mode::empty()).expect("it can be opened");
        let root = Root::open(folder, MountId::WORKSPACE).expect("the root can be opened");
        let (ours, mode) = (path("dir/ours"), FileMode::Regular);
        let runs: [Run<'_>; 2] = [
            ("bare calls", None, Box::new(|| raw_replace(&directory, &bytes))),
            (
                "durable replace",
                goal,
                Box::new(|| {
                    let replaced = root.no_follow().replace(&ours, &bytes, mode, Expected::Any);
                    replaced.expect("it can be replaced");
                }),
            ),
        ];
        println!("replacing 4 KiB {place}, {REPLACEMENTS} alternating runs");
        measure(REPLACEMENTS, &runs);
    }

    /// Creates a new file: content on disk, name, and name on disk.
    fn raw_replace(directory: &OwnedFd, bytes: &[u8]) {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(directory, ".raw.new", flags, Mode::from_raw_mode(0o644)).expect("it can be made");
        let written = rustix::io::write(&file, bytes).expect("it can be written");
        assert_eq!(written, bytes.len(), "it is written at once");
        fdatasync(&file).expect("it can be brought to disk");
        renameat(directory, ".raw.new", directory, "raw").expect("it can be renamed");
        fsync(directory).expect("it can be brought to disk");
    }

    fn reads(folder: &Path) {
        fs::create_dir_all(folder.join("docs/deep")).expect("the folder can be made");
        let file = folder.join("docs/deep/file.md");
        fs::write(&file, vec![b'x'; SIZE]).expect("the file can be written");
        symlink("deep", folder.join("docs/link")).expect("the link can be made");
        let root = Root::open(folder, MountId::WORKSPACE).expect("the root can be opened");
        let (plain, linked, most) = (path("docs/deep/file.md"), path("docs/link/file.md"), 1 << 20);
        let runs: [Run<'_>; 3] = [
            ("std::fs::read", None, Box::new(|| drop(black_box(fs::read(&file).expect("it can be read"))))),
            (
                "no-follow",
                Some(1.2),
                Box::new(|| drop(black_box(root.no_follow().read(&plain, most).expect("it can be read")))),
            ),
            (
                "resolving",
                Some(2.0),
                Box::new(|| drop(black_box(root.resolving().read(&plain, most).expect("it can be read")))),
            ),
        ];
        println!("opening and reading 4 KiB, {READS} alternating runs");
        measure(READS, &runs);
        let through = folder.join("docs/link/file.md");
        let runs: [Run<'_>; 2] = [
            (
                "std::fs::read",
                None,
                Box::new(|| drop(black_box(fs::read(&through).expect("it can be read")))),
            ),
            (
                "resolving",
                Some(2.0),
                Box::new(|| drop(black_box(root.resolving().read(&linked, most).expect("it can be read")))),
            ),
        ];
        println!("the same through a link to a directory");
        measure(READS, &runs);
    }

    fn measure(rounds: usize, runs: &[Run<'_>]) {
        let mut times = vec![Vec::with_capacity(rounds); runs.len()];
        for _ in 0..rounds {
            for ((_, _, run), times) in runs.iter().zip(&mut times) {
                let start = Instant::now();
                run();
                times.push(start.elapsed());
            }
        }
        let mut base = None;
        for ((name, goal, _), times) in runs.iter().zip(&mut times) {
            times.sort_unstable();
            let at = |share: usize| {
                let time = times.get(times.len() * share / 100).copied().unwrap_or(Duration::ZERO);
                time.as_secs_f64() * 1e6
            };
            let (median, late) = (at(50), at(99));
            let ratio = median / *base.get_or_insert(median);
            let goal = goal.map_or(String::new(), |goal| format!("  (goal: at most {goal:.1})"));
            println!("{name:18} {median:8.1} us, 99 of 100 within {late:8.1} us  {ratio:5.2} x{goal}");
        }
        println!();
    }
}
