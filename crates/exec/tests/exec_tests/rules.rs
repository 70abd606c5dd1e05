//! What a command can access, and what it cannot make of it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use minds_exec::{ExecError, Folders, Level, SandboxRules, available_level, expand_home};

use crate::place::{Place, finish, run, supervisor, supervisor_without_sandbox};

#[test]
fn the_rules_are_the_lists_of_the_contract() {
    let folder = |name: &str| vec![PathBuf::from(name)];
    let rules = SandboxRules::new(&Folders {
        working_folder: Path::new("/w"),
        whitelist: &folder("/list"),
        exec_read: &folder("/r"),
        exec_write: &folder("/x"),
    });
    let text =
        |paths: &[PathBuf]| paths.iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>().join(" ");
    assert_eq!(
        text(&rules.read),
        "/usr /bin /sbin /lib /lib64 /etc /opt /nix /sys /proc/cpuinfo /proc/meminfo /proc/stat /proc/loadavg \
         /proc/version /proc/filesystems /proc/uptime /proc/sys /r"
    );
    assert_eq!(text(&rules.write), "/w /list /x");
    assert_eq!(text(&rules.devices), "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty");
    assert!(!rules.reads_proc && !rules.is_required);
}

#[test]
fn an_entry_below_the_home_directory_is_expanded() {
    let home = Some(Path::new("/home/ada"));
    for (entry, expected) in [
        ("~/.cargo", Some("/home/ada/.cargo")),
        ("~//etc", Some("/home/ada/etc")),
        ("~", Some("/home/ada")),
        ("/opt/x", Some("/opt/x")),
        ("~bob/x", None),
        ("relative", None),
        ("", None),
    ] {
        assert_eq!(expand_home(entry, home), expected.map(PathBuf::from), "{entry}");
    }
    assert_eq!(expand_home("~/x", None), None);
}

/// Returns the output of a command in the sandbox with more paths to read and to write.
fn run_with(place: &Place, read: &[PathBuf], write: &[PathBuf], line: &str) -> (String, Vec<PathBuf>) {
    let mut command = place.command(line);
    let rules = command.sandbox.as_mut().unwrap();
    rules.read.extend(read.iter().cloned());
    rules.write.extend(write.iter().cloned());
    let mut running = command.start(&supervisor()).unwrap();
    let skipped = running.skipped_rules().iter().map(|rule| rule.path.clone());
    // Not every system has these.
    let skipped = skipped.filter(|path| !["/lib64", "/nix"].contains(&path.to_str().unwrap())).collect();
    (finish(&mut running).stdout, skipped)
}

#[test]
fn a_command_uses_what_the_rules_permit() {
    if available_level() != Level::Full {
        return;
    }
    let place = Place::new();
    let (outside, file) = (place.outside(), place.outside().join("one"));
    std::fs::write(&file, "one\n").unwrap();
    std::fs::write(outside.join("two"), "two\n").unwrap();
    let line = format!("cd '{}'; cat one two; echo x > one; echo x > two; cat one", outside.display());
    assert_eq!(run_with(&place, &[], &[], &line).0, "");
    assert_eq!(run_with(&place, std::slice::from_ref(&file), &[], &line).0, "one\none\n");
    assert_eq!(run_with(&place, std::slice::from_ref(&outside), &[], &line).0, "one\ntwo\none\n");
    assert_eq!(run_with(&place, &[], &[file], &line).0, "one\nx\n");
    assert_eq!(run_with(&place, &[], &[outside], &line).0, "x\ntwo\nx\n");
    // The usual work: files, folders, links, moves, pipes, devices and temporary files.
    let line = "mkdir -p a/b && echo 1 > a/b/c && mv a/b d && ln d/c e && ln -s d/c f && cat e f && rm -r a d e f \
        && echo x > /dev/null && head -c 4 /dev/urandom | wc -c && t=$(mktemp) && echo t > $t && cat $t && rm $t \
        && cat /proc/sys/kernel/ostype && test -n \"$(cat /proc/cpuinfo)\" && echo e > /dev/stderr && mkfifo p && rm p";
    let done = run(&place.command(line));
    assert_eq!((&*done.stdout, &*done.stderr, done.outcome.rc), ("1\n1\n4\nt\nLinux\n", "e\n", 0));
}

#[test]
fn a_path_that_gives_nothing_is_reported() {
    let place = Place::new();
    let [missing, relative, fifo] = ["/no/such/folder", "relative", "/dev/null/x"].map(PathBuf::from);
    let (_, skipped) =
        run_with(&place, &[missing.clone(), relative.clone()], std::slice::from_ref(&fifo), "true");
    assert_eq!(skipped, [missing, relative, fifo]);
}

/// A command could replace a folder of the rules by a link, and the next command would have what the link names.
#[test]
fn a_link_that_a_command_can_make_widens_nothing() {
    if available_level() != Level::Full {
        return;
    }
    let place = Place::new();
    std::fs::write(place.outside().join("secret"), "canary").unwrap();
    let (folder, line) =
        (place.work().join("cache"), "cat cache/secret 2>/dev/null; echo x 2>/dev/null > cache/new");
    for target in [place.outside(), PathBuf::from("../outside"), PathBuf::from("/")] {
        let _ = std::fs::remove_file(&folder);
        symlink(&target, &folder).unwrap();
        let by_hop = place.work().join("hop");
        let _ = std::fs::remove_file(&by_hop);
        symlink("cache", &by_hop).unwrap();
        for named in [folder.clone(), by_hop, folder.join(".")] {
            let (stdout, skipped) = run_with(&place, &[], std::slice::from_ref(&named), line);
            assert!(stdout.is_empty() && skipped.contains(&named), "{stdout}: {skipped:?}");
            assert_eq!(run_with(&place, std::slice::from_ref(&named), &[], line).0, "");
        }
    }
    assert!(!place.outside().join("new").exists());
    // A link that no command can change is followed.
    let stable = place.outside().parent().unwrap().join("link");
    symlink("outside", &stable).unwrap();
    let (stdout, skipped) = run_with(&place, &[stable], &[], "cat ../outside/secret");
    assert_eq!((stdout.as_str(), skipped), ("canary", Vec::new()));
}

#[test]
fn the_level_says_what_is_enforced() {
    let place = Place::new();
    let mut command = place.command("cat /proc/self/comm");
    let level =
        |command: &minds_exec::Command, supervisor| command.start(&supervisor).map(|running| running.level());
    assert_eq!(level(&command, supervisor()).unwrap(), available_level());
    assert_eq!(level(&command, supervisor_without_sandbox()).unwrap(), Level::None);
    // Without the sandbox of the kernel, rules that are required stop the start.
    command.sandbox.as_mut().unwrap().is_required = true;
    let refused = level(&command, supervisor_without_sandbox()).unwrap_err();
    assert!(matches!(refused, ExecError::SandboxRequired { level: Level::None }), "{refused}");
    assert_eq!(level(&command, supervisor()).is_ok(), available_level() == Level::Full);
    // Engines read `/proc`, which is less than the whole.
    let rules = command.sandbox.as_mut().unwrap();
    (rules.is_required, rules.reads_proc) = (false, true);
    assert_eq!(level(&command, supervisor()).unwrap(), available_level().min(Level::Partial));
    assert_eq!(run(&command).stdout, "cat\n");
    command.sandbox = None;
    assert_eq!(level(&command, supervisor()).unwrap(), Level::None);
}
