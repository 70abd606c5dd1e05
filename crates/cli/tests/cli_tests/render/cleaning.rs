//! Removing generated files.

use std::fs;

use crate::render::{json, minds_with, scaffold};
use crate::support::minds;

/// Rendering and removal use the same root if the environment selects it.
#[test]
fn cleaning_follows_the_environment_as_rendering_does() {
    let (here, there) = (scaffold(), scaffold());
    fs::create_dir(here.path().join(".minds")).unwrap();
    minds(here.path(), &["render", "--write"]);
    let other = there.path().join(".team");
    let named = ("TEAMCTL_ROOT", other.to_str().unwrap());
    assert_eq!(minds_with(here.path(), named, &["render", "--write"]).0, 0);
    let (code, stdout, _) = minds_with(here.path(), named, &["clean", "--format", "json"]);
    let document = json(&stdout);
    assert_eq!((code, document["removed"].as_array().unwrap().len()), (0, 7));
    assert!(document["root"].as_str().unwrap().ends_with("/.team"), "{document}");
    assert!(!other.join("state").exists());
    assert!(here.path().join(".team/state/minds-manifest.json").exists());
    let nowhere = ("TEAMCTL_ROOT", "nowhere");
    assert_eq!(minds_with(here.path(), nowhere, &["clean"]).0, 2);
    assert!(here.path().join(".team/state/minds-manifest.json").exists());
}

#[test]
fn clean_reports_files_that_it_cannot_remove() {
    let folder = scaffold();
    minds(folder.path(), &["render", "--write"]);
    let env = folder.path().join(".team/state/envs/main-coder.env");
    fs::hard_link(&env, folder.path().join("backup")).unwrap();
    for _ in 0..2 {
        let (code, _, stderr) = minds(folder.path(), &["clean"]);
        assert_eq!(code, 0);
        assert!(stderr.contains("cannot remove `state/envs/main-coder.env`: "), "{stderr}");
    }
    fs::remove_file(folder.path().join("backup")).unwrap();
    assert_eq!(minds(folder.path(), &["clean"]).0, 0);
    assert!(!env.exists());
}
