//! The fetched commit, and changes of a source.

use std::fs;
use std::sync::Mutex;

use minds_git::{FetchEvent, FetchLimits, FetchResult, GitErrorKind, ObjectId, RemoteUrl, Revision};

use crate::origin::{Origin, git};
use crate::reading::{all_below, list_entries};

fn name(text: &str) -> Revision {
    Revision::Name(text.to_owned())
}

/// The object formats of a repository.
const HASHES: [&str; 2] = ["sha1", "sha256"];

#[test]
fn a_revision_is_one_commit() {
    HASHES.into_iter().for_each(expect_one_commit);
}

fn expect_one_commit(hash: &str) {
    let origin = Origin::named_by(hash);
    let first = origin.commit(&[("a", "1")]);
    origin.git(&["tag", "--annotate", "--message=x", "v1"]);
    origin.git(&["tag", "light"]);
    let second = origin.commit(&[("a", "2")]);
    origin.git(&["branch", "side"]);
    // If a branch and a tag have the same name, the tag is used.
    origin.git(&["tag", "both", &first]);
    origin.git(&["branch", "both"]);
    let third = origin.commit(&[("a", "3")]);
    let cases = [
        (Revision::Default, &third),
        (Revision::Branch("main".to_owned()), &third),
        (Revision::Branch("side".to_owned()), &second),
        (Revision::Branch("both".to_owned()), &second),
        (Revision::Tag("v1".to_owned()), &first),
        (Revision::Tag("light".to_owned()), &first),
        (name("v1"), &first),
        (name("side"), &second),
        (name("both"), &first),
        (name("HEAD"), &third),
        (name("refs/heads/both"), &second),
        (name("refs/tags/both"), &first),
        (name(&second), &second),
        (name(&second.to_uppercase()), &second),
        (name(second.get(..10).unwrap()), &second),
    ];
    for (number, (revision, expected)) in cases.into_iter().enumerate() {
        let found = origin.fetch(revision.clone(), &number.to_string()).map(|commit| commit.to_string());
        assert_eq!(found.as_ref(), Ok(expected), "{hash}: {revision:?}");
    }
}

#[test]
fn a_missing_revision_is_reported() {
    HASHES.into_iter().for_each(expect_nothing);
}

fn expect_nothing(hash: &str) {
    let origin = Origin::named_by(hash);
    origin.commit(&[("a", "1")]);
    let revisions = [
        Revision::Branch("none".to_owned()),
        Revision::Tag("main".to_owned()),
        name("none"),
        name("refs/heads/none"),
        name("refs/tags/main"),
        name(&"0123456789".repeat(4)),
        name(&"01234567".repeat(8)),
        name("0123456"),
        // Refs of the local repository are not names of the remote.
        name("minds/heads/main"),
    ];
    for (number, revision) in revisions.into_iter().enumerate() {
        let error = origin.fetch(revision.clone(), &number.to_string()).unwrap_err();
        assert_eq!(*error.kind(), GitErrorKind::NoRevision, "{hash}: {revision:?}: {error}");
    }
    let empty = Origin::named_by(hash);
    assert_eq!(*empty.fetch(Revision::Default, "x").unwrap_err().kind(), GitErrorKind::NoRevision);
    fs::remove_dir_all(origin.path()).unwrap();
    assert_eq!(*origin.fetch(Revision::Default, "y").unwrap_err().kind(), GitErrorKind::NotFound);
}

#[test]
fn contents_do_not_depend_on_the_object_format() {
    let read = |hash| {
        let origin = Origin::named_by(hash);
        origin.commit(&[("a", "1"), ("skills/x/SKILL.md", "text"), ("empty", "")]);
        list_entries(&origin.tree().unwrap().snapshot(&all_below("")).unwrap())
    };
    let [one, other] = HASHES.map(read);
    assert!(!one.is_empty());
    assert_eq!(one, other);
}

#[test]
fn a_branch_name_resolves_to_its_current_commit() {
    let origin = Origin::with(&[("a", "1")]);
    let first = origin.head();
    let commit = origin.fetch(name("main"), "x").unwrap();
    origin.commit(&[("a", "2")]);
    // The recorded commit does not change.
    let again = origin.fetch(name(commit.as_str()), "y").unwrap();
    assert_eq!((commit.to_string(), again.to_string()), (first.clone(), first));
}

#[test]
fn a_known_commit_is_not_fetched_again() {
    let origin = Origin::with(&[("a", "1")]);
    origin.git(&["tag", "--annotate", "--message=x", "v1"]);
    let known = ObjectId::parse(&origin.head()).unwrap();
    let into = origin.folder.path().join("x");
    let fetch = |revision| {
        let mut request = origin.request(revision, "x");
        request.known = Some(known.clone());
        git().fetch(&request, FetchLimits::default(), &mut |_| {})
    };
    for revision in
        [Revision::Default, Revision::Tag("v1".to_owned()), name(known.as_str()), name("main"), name("v1")]
    {
        assert_eq!(fetch(revision.clone()), Ok(FetchResult::Unchanged(known.clone())), "{revision:?}");
        assert!(!into.exists());
    }
    let next = origin.commit(&[("a", "2")]);
    assert_eq!(fetch(Revision::Tag("v1".to_owned())), Ok(FetchResult::Unchanged(known.clone())));
    assert_eq!(fetch(Revision::Default).unwrap().commit().to_string(), next);
}

/// The source was reset, rewritten, or has another default branch.
#[test]
fn a_rewritten_source_is_fetched_in_its_current_state() {
    let origin = Origin::with(&[("a", "1")]);
    let first = origin.head();
    let second = origin.commit(&[("a", "2")]);
    assert_eq!(origin.fetch(Revision::Default, "0").unwrap().to_string(), second);
    origin.git(&["reset", "--quiet", "--hard", &first]);
    assert_eq!(origin.fetch(Revision::Default, "1").unwrap().to_string(), first);
    origin.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    let fresh = origin.commit(&[("b", "3")]);
    assert_eq!(origin.fetch(Revision::Default, "2").unwrap().to_string(), fresh);
    assert_eq!(origin.fetch(Revision::Branch("main".to_owned()), "3").unwrap().to_string(), first);
    let url = origin.url();
    let time = FetchLimits::default().time;
    let now = git().remote_commit(&url, &Revision::Default, time).unwrap();
    assert_eq!(now.to_string(), fresh);
}

#[test]
fn only_the_commit_is_fetched() {
    let origin = Origin::with(&[("a", "1")]);
    let first = origin.head();
    origin.commit(&[("a", "2")]);
    origin.git(&["tag", "v1"]);
    origin.fetch(Revision::Default, "x").unwrap();
    let fetched = origin.folder.path().join("x");
    let config = fs::read_to_string(fetched.join("config")).unwrap();
    assert!(!config.contains("remote") && !config.contains("url"), "{config}");
    let packed = crate::origin::names(&fetched.join("refs"));
    assert!(!crate::origin::names(&fetched.join("refs/tags")).contains(&"v1".to_owned()), "{packed:?}");
    let (git, first) = (git(), ObjectId::parse(&first).unwrap());
    assert!(git.tree(&fetched, &first, minds_vfs::MountId::WORKSPACE).is_err());
    assert!(!fetched.join("hooks").exists() && !fetched.join("FETCH_HEAD").exists());
}

#[test]
fn a_failed_fetch_does_not_stop_concurrent_ones() {
    let origins: Vec<Origin> =
        (0..6).map(|number| Origin::with(&[("a", number.to_string().as_str())])).collect();
    let mut requests: Vec<_> =
        origins.iter().map(|origin| origin.request(Revision::Default, "all.git")).collect();
    requests[2].revision = Revision::Branch("none".to_owned());
    requests[4].remote = RemoteUrl::of_folder(&origins[4].folder.path().join("none")).unwrap();
    let percentages = Mutex::new(Vec::new());
    let results = git().fetch_all(&requests, 3, FetchLimits::default(), &|at, event| {
        let word = match event {
            FetchEvent::Started => "started",
            FetchEvent::Progress(_) => return,
            FetchEvent::Ended(Ok(_)) => "done",
            FetchEvent::Ended(Err(_)) => "failed",
        };
        percentages.lock().unwrap().push((at, word));
    });
    let mut percentages = percentages.into_inner().unwrap();
    percentages.sort_unstable();
    for (at, result) in results.iter().enumerate() {
        let expected = match at {
            2 => Err(GitErrorKind::NoRevision),
            4 => Err(GitErrorKind::NotFound),
            _ => Ok(origins[at].head()),
        };
        let found = result.as_ref().map(|fetched| fetched.commit().to_string());
        assert_eq!(found.map_err(|error| error.kind().clone()), expected, "{at}");
        let word = if result.is_ok() { "done" } else { "failed" };
        assert_eq!(percentages[at * 2..at * 2 + 2], [(at, word), (at, "started")]);
    }
    assert!(git().fetch_all(&[], 3, FetchLimits::default(), &|_, _| {}).is_empty());
}

#[test]
fn progress_is_reported() {
    let files: Vec<(String, String)> =
        (0..300).map(|number| (format!("f{number}"), format!("text {number}"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let origin = Origin::with(&files);
    let mut percentages = Vec::new();
    let request = origin.request(Revision::Default, "x");
    git().fetch(&request, FetchLimits::default(), &mut |far| percentages.push(far.percent)).unwrap();
    assert!(percentages.is_sorted() && percentages.last() == Some(&100), "{percentages:?}");
}

#[test]
fn the_head_of_a_folder_is_found_if_it_has_one() {
    let origin = Origin::with(&[("sub/a", "1")]);
    assert_eq!(git().head(&origin.path()).unwrap().to_string(), origin.head());
    assert_eq!(git().head(&origin.path().join("sub")), None);
    assert_eq!(git().head(origin.folder.path()), None);
    assert_eq!(git().head(&Origin::new().path()), None);
}
