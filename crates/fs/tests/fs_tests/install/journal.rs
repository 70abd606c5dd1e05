//! Foreign journals are not trusted.

use std::fs;

use minds_fs::faults::{Fault, Plan, run};
use minds_fs::install::{InstallErrorKind, Recovery, recover};

use crate::install::world::{World, install, lobes};

/// Returns a world in which an installation was interrupted after its journal was written.
fn interrupted_installation() -> (World, String) {
    const INPUT_OUTPUT: i32 = 5;
    // The first call after which the installation is incomplete.
    for at in 1.. {
        let world = World::new();
        let (done, _) = run(Plan::at(at, Fault::FailFrom(INPUT_OUTPUT)), || install(world.path()));
        let journal = world.at("home/.minds-install");
        if done.is_err_and(|text| text.contains("half-done")) && journal.exists() {
            let text = fs::read_to_string(journal).unwrap();
            return (world, text);
        }
    }
    unreachable!("some call comes after the journal")
}

#[test]
fn a_journal_is_completed_or_undone_and_removed() {
    let (world, text) = interrupted_installation();
    assert!(text.starts_with("minds-install 1 ") && text.ends_with("\nend\n"), "{text}");
    assert_ne!(world.recover().unwrap(), Recovery::Nothing);
    assert!(!world.at("home/.minds-install").exists());
    assert_eq!(world.recover().unwrap(), Recovery::Nothing);
}

#[test]
fn a_foreign_journal_changes_nothing() {
    let (world, text) = interrupted_installation();
    let journal = world.at("home/.minds-install");
    let own = world.path().display().to_string();
    let line = |line: &str| text.replacen("\nend\n", &format!("\n{line}\nend\n"), 1);
    let hostile = [
        // Folders that are not agent homes.
        text.replacen(&format!("{own}/one"), "/etc", 1),
        text.replacen(&format!("{own}/one"), &format!("{own}/one/.."), 1),
        text.replacen(&format!("{own}/one"), &own, 1),
        text.replacen(&format!("{own}/one"), "one", 1),
        line("remove\thome\t../one\t.staging/x\t1"),
        line("remove\thome\t/etc\t.staging/x\t1"),
        line("remove\thome\tstore\tstore/aside\t1"),
        line("remove\t0\tskills/user\tskills/mine\t1"),
        line("remove\t7\tskills/user\tskills/.1-x.minds-set\t1"),
        line("put\tstore/skill/a\tstore/skill/b\t.staging/x\t1\tnone"),
        line("link\t0\t../x\tskills/.1-x.minds-set\tskills/.2-x.minds-set\t/etc\tnone"),
        // Invalid content.
        line("unknown\thome"),
        line("directory\thome\tstore\tmore"),
        text.replacen("minds-install 1", "minds-install 2", 1),
        text.replacen("\nend\n", "\n", 1),
        text.replacen(" c ", " x ", 1).replacen(" a ", " x ", 1),
        String::new(),
        "x".to_owned(),
        // The journal of another home, or a copy.
        {
            let (head, rest) = text.split_once('\n').unwrap();
            format!("{head}1\n{rest}")
        },
    ];
    let before = world.files();
    for text in hostile {
        // The file remains the same, so that it is not refused for that reason.
        fs::write(&journal, &text).unwrap();
        let error = world.recover().unwrap_err();
        assert_eq!(error.kind(), InstallErrorKind::Foreign, "{text}");
        assert_eq!(world.files(), before, "{text}");
        assert!(install(world.path()).is_err());
    }
    fs::write(&journal, &text).unwrap();
    let [one, _] = lobes(world.path());
    assert_eq!(recover(&world.root(), &[one]).unwrap_err().kind(), InstallErrorKind::Foreign);
    assert_eq!(recover(&world.root(), &[]).unwrap_err().kind(), InstallErrorKind::Foreign);
    assert_eq!(world.files(), before);
    // A copy has another inode number.
    fs::copy(&journal, world.at("home/copy")).unwrap();
    fs::rename(world.at("home/copy"), &journal).unwrap();
    assert_eq!(world.recover().unwrap_err().kind(), InstallErrorKind::Foreign);
}

#[test]
fn a_journal_that_is_not_a_file_is_reported_and_not_followed() {
    for kind in ["link", "directory", "pipe", "hard link"] {
        let world = World::new();
        world.write("elsewhere", "x");
        let journal = world.at("home/.minds-install");
        match kind {
            "link" => std::os::unix::fs::symlink(world.at("elsewhere"), &journal).unwrap(),
            "directory" => fs::create_dir(&journal).unwrap(),
            "pipe" => assert!(std::process::Command::new("mkfifo").arg(&journal).status().unwrap().success()),
            _ => fs::hard_link(world.at("elsewhere"), &journal).unwrap(),
        }
        let before = world.files();
        let error = world.recover().unwrap_err();
        assert_eq!(error.kind(), InstallErrorKind::Foreign, "{kind}");
        assert!(error.to_string().ends_with("remove it (`.minds-install`)"), "{kind}: {error}");
        assert_eq!(world.files(), before, "{kind}");
    }
}
