//! Every operation on every kind of entry, with and without following links.

use minds_fs::{FileError, View};
use minds_vfs::{ContentHash, Expected, FileMode};

use crate::confined::tree::{Tree, path};

/// The result of an operation: a word for success, or the kind of the error.
type Verb = fn(&View<'_>, &str) -> Result<String, FileError>;

/// Runs an operation in a new tree, no-follow and resolving, and compares the results. A failed operation
/// changes nothing; the files outside never change.
#[track_caller]
fn check(verb: Verb, at: &str, no_follow: &str, resolving: &str) {
    for (expected, is_no_follow) in [(no_follow, true), (resolving, false)] {
        let tree = Tree::new();
        let (inside, outside) = (tree.inside(), tree.outside());
        let view = if is_no_follow { tree.root.no_follow() } else { tree.root.resolving() };
        let said = verb(&view, at);
        let failed = said.is_err();
        let said = said.unwrap_or_else(|error| format!("{:?}", error.kind()));
        assert_eq!(said, expected, "`{at}`, no_follow: {is_no_follow}");
        assert_eq!(tree.outside(), outside, "`{at}`, no_follow: {is_no_follow}");
        if failed {
            assert_eq!(tree.inside(), inside, "`{at}`, no_follow: {is_no_follow}");
        }
        assert!(!tree.inside().keys().any(|name| name.contains(".minds-")), "`{at}` leaves temporary files");
    }
}

#[test]
fn read_results() {
    let read: Verb = |view, at| {
        let file = view.read(&path(at), 100)?;
        Ok(format!("{} at {}", String::from_utf8(file.bytes).unwrap(), file.real))
    };
    check(read, "file", "inside at file", "inside at file");
    check(read, "dir/inner", "inner at dir/inner", "inner at dir/inner");
    check(read, "in", "Link", "inside at file");
    check(read, "in-dir/inner", "Link", "inner at dir/inner");
    check(read, "in-dir/up", "Link", "inside at file");
    check(read, "dir/twice", "Link", "inside at file");
    check(read, "out", "Link", "Outside");
    check(read, "out-dir/secret", "Link", "Outside");
    check(read, "out-dir/deep/secret", "Link", "Outside");
    check(read, "back", "Link", "Outside");
    check(read, "absolute", "Link", "Outside");
    check(read, "parent/outside/secret", "Link", "Outside");
    check(read, "parent/root/file", "Link", "Outside");
    check(read, "magic", "Link", "Outside");
    check(read, "magic/Cargo.toml", "Link", "Outside");
    check(read, "dangling", "Link", "NotFound");
    check(read, "loop", "Link", "TooManyLinks");
    check(read, "loop-a", "Link", "TooManyLinks");
    check(read, "hard", "SeveralLinks", "SeveralLinks");
    check(read, "fifo", "NotFile(Special)", "NotFile(Special)");
    check(read, "to-fifo", "Link", "NotFile(Special)");
    check(read, "socket", "NotFile(Special)", "NotFile(Special)");
    check(read, "dir", "NotFile(Directory)", "NotFile(Directory)");
    check(read, "in-dir", "Link", "NotFile(Directory)");
    check(read, ".", "NotFile(Directory)", "NotFile(Directory)");
    check(read, "nowhere", "NotFound", "NotFound");
    check(read, "nowhere/file", "NotFound", "NotFound");
    check(read, "file/below", "NotDirectory", "NotDirectory");
    check(read, "in/below", "Link", "NotDirectory");
}

#[test]
fn read_results_over_the_limit() {
    let read: Verb = |view, at| {
        view.read(&path(at), 6)?;
        view.read(&path(at), 5).map(|_| "read".to_owned())
    };
    check(read, "file", "TooLarge", "TooLarge");
}

#[test]
fn metadata_results() {
    let metadata: Verb = |view, at| {
        let found = view.metadata(&path(at))?;
        Ok(format!("{:?} of {} at {}", found.kind, found.links, found.real))
    };
    check(metadata, "file", "File of 1 at file", "File of 1 at file");
    check(metadata, "hard", "File of 2 at hard", "File of 2 at hard");
    check(metadata, "fifo", "Special of 1 at fifo", "Special of 1 at fifo");
    check(metadata, "empty", "Directory of 2 at empty", "Directory of 2 at empty");
    check(metadata, "in", "Link of 1 at in", "File of 1 at file");
    check(metadata, "dir/up", "Link of 1 at dir/up", "File of 1 at file");
    check(metadata, "in-dir/inner", "Link", "File of 1 at dir/inner");
    check(metadata, "out", "Link of 1 at out", "Outside");
    check(metadata, "out-dir/secret", "Link", "Outside");
    check(metadata, "magic", "Link of 1 at magic", "Outside");
    check(metadata, "dangling", "Link of 1 at dangling", "NotFound");
    check(metadata, "loop", "Link of 1 at loop", "TooManyLinks");
    check(metadata, "nowhere", "NotFound", "NotFound");
}

#[test]
fn list_results() {
    let list: Verb = |view, at| {
        let listing = view.list(&path(at), 3)?;
        let names = listing.entries.iter().map(|entry| format!("{} {:?}", entry.real, entry.kind));
        Ok(names.collect::<Vec<_>>().join(", "))
    };
    check(list, "empty", "", "");
    let dir = "dir/deep Directory, dir/inner File, dir/twice Link, dir/up Link";
    check(list, "dir/deep", "", "");
    check(list, "in-dir", "Link", "TooLarge");
    check(list, "in-dir/deep", "Link", "");
    check(list, "dir", "TooLarge", "TooLarge");
    check(list, "file", "NotDirectory", "NotDirectory");
    check(list, "fifo", "NotDirectory", "NotDirectory");
    check(list, "out-dir", "Link", "Outside");
    check(list, "out-dir/deep", "Link", "Outside");
    check(list, "parent", "Link", "Outside");
    check(list, "magic", "Link", "Outside");
    check(list, "loop", "Link", "TooManyLinks");
    check(list, "dangling", "Link", "NotFound");
    check(list, "nowhere", "NotFound", "NotFound");
    let list_all: Verb = |view, at| {
        let listing = view.list(&path(at), 4)?;
        let names = listing.entries.iter().map(|entry| format!("{} {:?}", entry.real, entry.kind));
        Ok(names.collect::<Vec<_>>().join(", "))
    };
    check(list_all, "dir", dir, dir);
    check(list_all, "in-dir", "Link", dir);
}

#[test]
fn walk_results() {
    let walk: Verb = |view, at| {
        let listing = view.walk(&path(at), 4)?;
        let names = listing.entries.iter().map(|entry| format!("{} {:?}", entry.real, entry.kind));
        Ok(names.chain([listing.real.to_string()]).collect::<Vec<_>>().join(", "))
    };
    let dir = "dir/deep Directory, dir/inner File, dir/twice Link, dir/up Link, dir";
    check(walk, "dir", dir, dir);
    check(walk, "in-dir", "Link", dir);
    check(walk, ".", "TooLarge", "TooLarge");
    check(walk, "empty", "empty", "empty");
    check(walk, "in-dir/deep", "Link", "dir/deep");
    check(walk, "out-dir", "Link", "Outside");
    check(walk, "parent", "Link", "Outside");
    check(walk, "file", "NotDirectory", "NotDirectory");
    let deep: Verb = |view, at| {
        for inner in ["dir/deep/er", "dir/deep/er/est"] {
            view.make_directory(&path(inner))?;
        }
        let by_place = view.entry(&path(at))?.walk(6)?;
        assert!(view.walk(&path(at), 5).is_err() && view.entry(&path(at))?.walk(5).is_err());
        assert_eq!(view.walk(&path(at), 6)?, by_place);
        Ok(format!("{} and {}", by_place.entries.len(), by_place.entries[2].real))
    };
    check(deep, "dir", "6 and dir/deep/er/est", "6 and dir/deep/er/est");
}

/// Reads the file that an operation wrote.
fn read_back(view: &View<'_>, real: &str) -> Result<String, FileError> {
    let file = view.read(&path(real), 100)?;
    assert_eq!(file.real, path(real));
    Ok(format!("{} at {real}", String::from_utf8(file.bytes).unwrap()))
}

#[test]
fn create_results() {
    let create: Verb = |view, at| {
        let place = view.entry(&path(at))?;
        place.create(b"new", FileMode::Regular)?;
        read_back(view, place.real().as_str())
    };
    check(create, "new", "new at new", "new at new");
    check(create, "dir/new", "new at dir/new", "new at dir/new");
    check(create, "in-dir/new", "Link", "new at dir/new");
    for taken in ["file", "dir", "in", "out", "dangling", "loop", "hard", "fifo", "socket", "magic"] {
        check(create, taken, "AlreadyExists", "AlreadyExists");
    }
    check(create, "out-dir/new", "Link", "Outside");
    check(create, "out-dir/secret", "Link", "Outside");
    check(create, "parent/new", "Link", "Outside");
    check(create, "magic/new", "Link", "Outside");
    check(create, "loop/new", "Link", "TooManyLinks");
    check(create, "nowhere/new", "NotFound", "NotFound");
    check(create, "file/new", "NotDirectory", "NotDirectory");
    check(create, ".", "Root", "Root");
    check(create, ".file.minds-new", "Reserved", "Reserved");
    check(create, ".file.minds-lock", "Reserved", "Reserved");
    check(create, ".file.minds-gone", "Reserved", "Reserved");
}

#[test]
fn replace_and_append_results() {
    let replace: Verb = |view, at| {
        let place = view.place(&path(at))?;
        place.replace(b"new", FileMode::Regular, Expected::Any)?;
        read_back(view, place.real().as_str())
    };
    let append: Verb = |view, at| {
        let place = view.place(&path(at))?;
        place.append(b" more", FileMode::Regular)?;
        read_back(view, place.real().as_str())
    };
    let extend: Verb = |view, at| {
        let place = view.place(&path(at))?;
        place.extend(b" more", FileMode::Regular)?;
        read_back(view, place.real().as_str())
    };
    check(replace, "file", "new at file", "new at file");
    check(extend, "in", "Link", "inside more at file");
    check(extend, "new", " more at new", " more at new");
    check(append, "file", "inside more at file", "inside more at file");
    check(replace, "in", "Link", "new at file");
    check(append, "in", "Link", "inside more at file");
    check(replace, "in-dir/twice", "Link", "new at file");
    check(append, "in-dir/inner", "Link", "inner more at dir/inner");
    check(replace, "dangling", "Link", "new at dir/nowhere");
    check(append, "dangling", "Link", " more at dir/nowhere");
    check(replace, "new", "new at new", "new at new");
    check(append, "new", " more at new", " more at new");
    for verb in [replace, append, extend] {
        check(verb, "out", "Link", "Outside");
        check(verb, "absolute", "Link", "Outside");
        check(verb, "back", "Link", "Outside");
        check(verb, "magic", "Link", "Outside");
        check(verb, "out-dir/secret", "Link", "Outside");
        check(verb, "out-dir/new", "Link", "Outside");
        check(verb, "parent/outside/secret", "Link", "Outside");
        check(verb, "loop", "Link", "TooManyLinks");
        check(verb, "hard", "SeveralLinks", "SeveralLinks");
        check(verb, "fifo", "NotFile(Special)", "NotFile(Special)");
        check(verb, "to-fifo", "Link", "NotFile(Special)");
        check(verb, "socket", "NotFile(Special)", "NotFile(Special)");
        check(verb, "dir", "NotFile(Directory)", "NotFile(Directory)");
        check(verb, "read-only", "ReadOnly", "ReadOnly");
        check(verb, "file/below", "NotDirectory", "NotDirectory");
        check(verb, ".", "Root", "Root");
        check(verb, ".file.minds-new", "Reserved", "Reserved");
    }
}

#[test]
fn replace_results_with_an_expected_content() {
    let replace: Verb = |view, at| {
        let expected = Expected::Content(ContentHash::of(b"inside"));
        view.replace(&path(at), b"new", FileMode::Regular, expected).map(|()| "replaced".to_owned())
    };
    check(replace, "file", "replaced", "replaced");
    check(replace, "in", "Link", "replaced");
    check(replace, "dir/inner", "Changed", "Changed");
    check(replace, "new", "NotFound", "NotFound");
    check(replace, "hard", "SeveralLinks", "SeveralLinks");
}

#[test]
fn make_directory_results() {
    let make: Verb = |view, at| view.make_directory(&path(at)).map(|()| "made".to_owned());
    check(make, "new", "made", "made");
    check(make, "in-dir/new", "Link", "made");
    for taken in ["file", "dir", "in", "out-dir", "dangling", "loop", "hard", "fifo"] {
        check(make, taken, "AlreadyExists", "AlreadyExists");
    }
    check(make, "out-dir/new", "Link", "Outside");
    check(make, "parent/new", "Link", "Outside");
    check(make, "nowhere/new", "NotFound", "NotFound");
    check(make, ".", "Root", "Root");
}

#[test]
fn rename_results() {
    let away: [Verb; 2] = [
        |view, at| view.rename(&path(at), &path("empty/x")).map(|()| "moved".to_owned()),
        |view, at| view.rename_unsynced(&path(at), &path("empty/x")).map(|()| "moved".to_owned()),
    ];
    for away in away {
        for entry in
            ["file", "in", "out", "out-dir", "dangling", "loop", "hard", "fifo", "socket", "dir", "magic"]
        {
            check(away, entry, "moved", "moved");
        }
        check(away, "in-dir/inner", "Link", "moved");
        check(away, "out-dir/secret", "Link", "Outside");
        check(away, "parent/outside", "Link", "Outside");
        check(away, "nowhere", "NotFound", "NotFound");
        check(away, "empty", "IntoItself", "IntoItself");
        check(away, ".", "Root", "Root");
    }
    let here: [Verb; 2] = [
        |view, at| view.rename(&path("file"), &path(at)).map(|()| "moved".to_owned()),
        |view, at| view.rename_unsynced(&path("file"), &path(at)).map(|()| "moved".to_owned()),
    ];
    for here in here {
        check(here, "new", "moved", "moved");
        check(here, "in-dir/new", "Link", "moved");
        for taken in ["dir/inner", "dir", "in", "out", "dangling", "hard", "fifo", "file"] {
            check(here, taken, "AlreadyExists", "AlreadyExists");
        }
        check(here, "out-dir/new", "Link", "Outside");
        check(here, "out-dir/secret", "Link", "Outside");
        check(here, ".file.minds-new", "Reserved", "Reserved");
    }
}

#[test]
fn remove_results() {
    let remove: [Verb; 2] = [
        |view, at| view.remove_file(&path(at), Expected::Any).map(|()| "removed".to_owned()),
        |view, at| view.remove_file_unsynced(&path(at)).map(|()| "removed".to_owned()),
    ];
    for remove in remove {
        for entry in ["file", "in", "out", "out-dir", "dangling", "loop", "hard", "fifo", "socket", "magic"] {
            check(remove, entry, "removed", "removed");
        }
        check(remove, "in-dir/inner", "Link", "removed");
        check(remove, "out-dir/secret", "Link", "Outside");
        check(remove, "parent/outside/secret", "Link", "Outside");
        check(remove, "empty", "NotFile(Directory)", "NotFile(Directory)");
        check(remove, "read-only", "ReadOnly", "ReadOnly");
        check(remove, "nowhere", "NotFound", "NotFound");
    }
    let expected: Verb = |view, at| {
        let expected = Expected::Content(ContentHash::of(b"inside"));
        view.remove_file(&path(at), expected).map(|()| "removed".to_owned())
    };
    check(expected, "file", "removed", "removed");
    check(expected, "dir/inner", "Changed", "Changed");
    check(expected, "in", "Link", "Link");
    check(expected, "hard", "SeveralLinks", "SeveralLinks");
    let directory: Verb = |view, at| view.remove_directory(&path(at)).map(|()| "removed".to_owned());
    check(directory, "empty", "removed", "removed");
    check(directory, "in-dir/deep", "Link", "removed");
    check(directory, "dir", "NotEmpty", "NotEmpty");
    check(directory, "in-dir", "Link", "Link");
    check(directory, "out-dir", "Link", "Link");
    check(directory, "out-dir/deep", "Link", "Outside");
    check(directory, "file", "NotDirectory", "NotDirectory");
    check(directory, ".", "Root", "Root");
}

#[test]
fn remove_tree_results() {
    let remove: Verb = |view, at| {
        let place = view.entry(&path(at))?;
        place.remove_tree(&place.walk(100)?)?;
        Ok(place.metadata()?.map_or("gone".to_owned(), |found| format!("{:?}", found.kind)))
    };
    check(remove, "dir", "gone", "gone");
    check(remove, "empty", "gone", "gone");
    check(remove, "in-dir/deep", "Link", "gone");
    check(remove, "in-dir", "Link", "Link");
    check(remove, "out-dir", "Link", "Link");
    check(remove, "out-dir/deep", "Link", "Outside");
    check(remove, "parent", "Link", "Link");
    check(remove, "magic", "Link", "Link");
    check(remove, "loop/dir", "Link", "TooManyLinks");
    check(remove, "file", "NotDirectory", "NotDirectory");
    check(remove, "fifo", "NotDirectory", "NotDirectory");
    check(remove, "nowhere", "NotFound", "NotFound");
    check(remove, ".", "Root", "Root");
    check(remove, ".dir.minds-gone", "NotFound", "NotFound");
}

#[test]
fn link_target_results() {
    let target: Verb = |view, at| view.entry(&path(at))?.link_target();
    check(target, "in", "file", "file");
    check(target, "dir/up", "../file", "../file");
    check(target, "out", "../outside/secret", "../outside/secret");
    check(target, "loop", "loop", "loop");
    check(target, "in-dir/up", "Link", "../file");
    check(target, "nowhere", "NotFound", "NotFound");
    assert!(Tree::new().root.no_follow().entry(&path("file")).unwrap().link_target().is_err());
}
