//! The effect of a confinement, tested in a separate process.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use minds_fs::{Confinement, Root, confine};
use minds_vfs::{Expected, FileMode, MountId, WorkspacePath};

const ORDER: &str = "MINDS_TEST_CONFINE";
const MARK: &str = "tried: ";

/// The separate process: confines itself and tries the operations in the environment.
#[test]
fn a_process_that_confines_itself() {
    let Ok(top) = std::env::var(ORDER) else {
        // Run as a normal test: do not confine this process, because that cannot be undone.
        assert!(fs::read_dir("/").is_ok());
        return;
    };
    let top = Path::new(&top);
    let open = |name: &str| Root::open(&top.join(name), MountId::WORKSPACE).unwrap();
    let (mine, shown) = (open("mine"), open("shown"));
    let kept = confine(&[&mine], &[&shown]).unwrap();
    let file = WorkspacePath::parse("file").unwrap();
    let verbs = [
        mine.no_follow().replace(&file, b"new", FileMode::Regular, Expected::Any).is_ok(),
        mine.no_follow().create(&WorkspacePath::parse("more").unwrap(), b"x", FileMode::Regular).is_ok(),
        shown.no_follow().read(&file, 10).is_ok(),
        shown.no_follow().replace(&file, b"new", FileMode::Regular, Expected::Any).is_ok(),
        // A program that trusts a path.
        fs::write(top.join("mine/naive"), "x").is_ok(),
        fs::write(top.join("mine/out/naive"), "x").is_ok(),
        fs::read(top.join("other/file")).is_ok(),
        fs::read("/etc/passwd").is_ok(),
    ];
    println!("{MARK}{kept:?} {verbs:?}");
}

#[test]
fn files_outside_of_the_roots_are_not_accessible_if_the_kernel_supports_it() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["mine", "shown", "other"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("file"), "old").unwrap();
    }
    symlink("../other", folder.path().join("mine/out")).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "confine::a_process_that_confines_itself", "--nocapture"])
        .env(ORDER, folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, said) = text.split_once(MARK).unwrap_or_else(|| panic!("{text}"));
    let said = said.lines().next().unwrap();
    let held = "[true, true, true, false, true, false, false, false]";
    let expected = match said.split_once(' ').unwrap().0 {
        "None" => format!("{:?} [true, true, true, true, true, true, true, true]", Confinement::None),
        kept => format!("{kept} {held}"),
    };
    assert_eq!(said, expected);
    println!("the kernel says: {said}");
}
