//! Which commit is fetched, and what a source may do meanwhile.

use std::fs;
use std::sync::Mutex;

use minds_system::git::{FetchEvent, FetchLimits, Fetched, GitErrorKind, ObjectId, RemoteUrl, Revision};

use crate::origin::{Origin, git};
use crate::reading::{all_below, seen};

fn name(text: &str) -> Revision {
    Revision::Name(text.to_owned())
}

/// The hashes by which a repository can name its objects.
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
    // Where two have the name, the tag is meant.
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
fn what_is_not_there_is_said_to_be_not_there() {
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
        // What it is called in our own repository is no name of the other side.
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
fn a_commit_holds_the_same_by_whatever_hash() {
    let read = |hash| {
        let origin = Origin::named_by(hash);
        origin.commit(&[("a", "1"), ("skills/x/SKILL.md", "text"), ("empty", "")]);
        seen(&origin.tree().unwrap().snapshot(&all_below("")).unwrap())
    };
    let [one, other] = HASHES.map(read);
    assert!(!one.is_empty());
    assert_eq!(one, other);
}

#[test]
fn a_branch_given_as_a_name_becomes_the_commit_that_it_has_now() {
    let origin = Origin::with(&[("a", "1")]);
    let first = origin.head();
    let commit = origin.fetch(name("main"), "x").unwrap();
    origin.commit(&[("a", "2")]);
    // What is remembered is the commit, which stays what it is.
    let again = origin.fetch(name(commit.as_str()), "y").unwrap();
    assert_eq!((commit.to_string(), again.to_string()), (first.clone(), first));
}

#[test]
fn what_is_known_is_not_fetched_again() {
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
        assert_eq!(fetch(revision.clone()), Ok(Fetched::Unchanged(known.clone())), "{revision:?}");
        assert!(!into.exists());
    }
    let next = origin.commit(&[("a", "2")]);
    assert_eq!(fetch(Revision::Tag("v1".to_owned())), Ok(Fetched::Unchanged(known.clone())));
    assert_eq!(fetch(Revision::Default).unwrap().commit().to_string(), next);
}

/// The source went back, was written anew, or names another branch as its own.
#[test]
fn a_source_that_rewinds_is_what_it_is_now() {
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
fn nothing_but_the_commit_is_brought_along() {
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
    assert!(git.tree(&fetched, &first, minds_paths::MountId::WORKSPACE).is_err());
    assert!(!fetched.join("hooks").exists() && !fetched.join("FETCH_HEAD").exists());
}

#[test]
fn several_are_fetched_at_once_and_one_that_fails_stops_no_other() {
    let origins: Vec<Origin> =
        (0..6).map(|number| Origin::with(&[("a", number.to_string().as_str())])).collect();
    let mut requests: Vec<_> =
        origins.iter().map(|origin| origin.request(Revision::Default, "all.git")).collect();
    requests[2].revision = Revision::Branch("none".to_owned());
    requests[4].remote = RemoteUrl::of_folder(&origins[4].folder.path().join("none")).unwrap();
    let told = Mutex::new(Vec::new());
    let results = git().fetch_all(&requests, 3, FetchLimits::default(), &|at, event| {
        let word = match event {
            FetchEvent::Started => "started",
            FetchEvent::Progress(_) => return,
            FetchEvent::Ended(Ok(_)) => "done",
            FetchEvent::Ended(Err(_)) => "failed",
        };
        told.lock().unwrap().push((at, word));
    });
    let mut told = told.into_inner().unwrap();
    told.sort_unstable();
    for (at, result) in results.iter().enumerate() {
        let expected = match at {
            2 => Err(GitErrorKind::NoRevision),
            4 => Err(GitErrorKind::NotFound),
            _ => Ok(origins[at].head()),
        };
        let found = result.as_ref().map(|fetched| fetched.commit().to_string());
        assert_eq!(found.map_err(|error| error.kind().clone()), expected, "{at}");
        let word = if result.is_ok() { "done" } else { "failed" };
        assert_eq!(told[at * 2..at * 2 + 2], [(at, word), (at, "started")]);
    }
    assert!(git().fetch_all(&[], 3, FetchLimits::default(), &|_, _| {}).is_empty());
}

#[test]
fn how_far_it_is_is_told() {
    let files: Vec<(String, String)> =
        (0..300).map(|number| (format!("f{number}"), format!("text {number}"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let origin = Origin::with(&files);
    let mut told = Vec::new();
    let request = origin.request(Revision::Default, "x");
    git().fetch(&request, FetchLimits::default(), &mut |far| told.push(far.percent)).unwrap();
    assert!(told.is_sorted() && told.last() == Some(&100), "{told:?}");
}

#[test]
fn a_folder_of_the_users_has_a_head_or_not() {
    let origin = Origin::with(&[("sub/a", "1")]);
    assert_eq!(git().head(&origin.path()).unwrap().to_string(), origin.head());
    assert_eq!(git().head(&origin.path().join("sub")), None);
    assert_eq!(git().head(origin.folder.path()), None);
    assert_eq!(git().head(&Origin::new().path()), None);
}
