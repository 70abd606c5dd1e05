//! Planned changes.

use minds_edit::Edit;
use minds_fs::Root;
use minds_state::hunks::{HunkError, HunkId, LIFETIME, Plan, Store};
use minds_vfs::MountId;

fn plan(path: &str) -> Plan {
    Plan {
        mode: "append".to_owned(),
        path: path.to_owned(),
        real: path.to_owned(),
        edit: Edit::Append { content: "x\n".to_owned() },
        base: Some("a\n".to_owned()),
    }
}

fn open(folder: &tempfile::TempDir, now: u64, owner: &str) -> Store {
    let state = Root::open(folder.path(), MountId::WORKSPACE).unwrap();
    Store::create(state, now, owner.to_owned()).unwrap()
}

fn id(text: &str) -> HunkId {
    HunkId::parse(text).unwrap()
}

#[test]
fn a_change_is_taken_once_and_can_be_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, 1, "a");
    let id = id(&store.add(plan("x")).unwrap().id);
    {
        let claimed = store.claim(&id).unwrap();
        assert_eq!(*claimed.plan(), plan("x"));
        claimed.take().unwrap();
        assert!(matches!(claimed.take(), Err(HunkError::NotFound(_))));
        claimed.put_back();
    }
    store.claim(&id).unwrap().take().unwrap();
    assert!(matches!(store.claim(&id), Err(HunkError::NotFound(_))));
}

#[test]
fn a_revised_change_keeps_its_id_and_lives_longer() {
    let folder = tempfile::tempdir().unwrap();
    let ticket = open(&folder, 1, "a").add(plan("x")).unwrap();
    let later = open(&folder, LIFETIME, "a");
    let revised = later.claim(&id(&ticket.id)).unwrap().revise(plan("y")).unwrap();
    assert_eq!((revised.id, revised.expires_at_ms), (ticket.id.clone(), 2 * LIFETIME));
    let last = open(&folder, 2 * LIFETIME - 1, "a");
    assert_eq!(*last.claim(&id(&ticket.id)).unwrap().plan(), plan("y"));
}

#[test]
fn a_change_expires_after_an_hour() {
    let folder = tempfile::tempdir().unwrap();
    let ticket = open(&folder, 1, "a").add(plan("x")).unwrap();
    assert!(open(&folder, LIFETIME, "a").claim(&id(&ticket.id)).is_ok());
    let claimed = open(&folder, LIFETIME + 1, "a").claim(&id(&ticket.id)).map(|_| ());
    assert!(matches!(claimed, Err(HunkError::NotFound(_))));
}

#[test]
fn a_change_of_another_owner_cannot_be_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let ticket = open(&folder, 1, "a").add(plan("x")).unwrap();
    let claimed = open(&folder, 1, "b").claim(&id(&ticket.id)).map(|_| ());
    assert!(matches!(claimed, Err(HunkError::WrongOwner)));
}
