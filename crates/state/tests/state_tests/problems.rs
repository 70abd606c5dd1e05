//! The list of problems on disk: several gateways, their ends, and files of earlier versions.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::process::{Command, Stdio};

use minds_diagnostics::Severity;
use minds_fs::Root;
use minds_state::problems::{
    Files, GatewayProblem, GatewayProblems, GatewayReporter, ProblemSource, ProblemsError, RememberedProblem,
    problem_id, publish, read_remembered,
};
use minds_vfs::MountId;
use serde_json::{Value, json};
use tempfile::TempDir;

const SECOND: u64 = 1_000;

fn open(folder: &TempDir) -> Root {
    Root::open(folder.path(), MountId::WORKSPACE).unwrap()
}

fn start(folder: &TempDir, gateway: &str) -> GatewayReporter {
    GatewayReporter::start(open(folder), gateway).unwrap()
}

fn failed(server: &str) -> GatewayProblem {
    GatewayProblem {
        id: problem_id(&["mcp", "server", server, "server_error"]),
        code: "mcp/server-error",
        severity: Severity::Error,
        message: format!("server `{server}` failed"),
        help: None,
    }
}

fn list(folder: &TempDir, now: u64) -> Vec<RememberedProblem> {
    read_remembered(&open(folder), now).unwrap()
}

/// Returns the id and the times of all problems.
fn times(folder: &TempDir, now: u64) -> Vec<String> {
    let second = |time: &str| time[17..19].to_owned();
    let shown = |problem: &RememberedProblem| {
        let until = problem.resolved_at.as_deref().map(second).unwrap_or_default();
        format!("{} {}-{until}", problem.id.as_deref().unwrap_or("validation"), second(&problem.first_seen))
    };
    list(folder, now).iter().map(shown).collect()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn content(folder: &TempDir) -> Value {
    serde_json::from_slice(&fs::read(folder.path().join("problems.json")).unwrap()).unwrap()
}

#[test]
fn a_problem_of_a_gateway_is_remembered_with_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let reporter = start(&folder, "10-1");
    reporter.publish(SECOND, &[failed("my files")]).unwrap();
    let expected = json!({
        "code": "mcp/server-error",
        "severity": "error",
        "message": "server `my files` failed",
        "file": ".minds/mcp.yaml",
        "range": null,
        "id": "mcp/server/my%20files/server_error",
        "source": "gateway",
        "first_seen": "1970-01-01T00:00:01.000Z",
        "resolved": false,
        "resolved_at": null,
    });
    assert_eq!(serde_json::to_value(list(&folder, 0)).unwrap(), json!([expected]));
    reporter.end(2 * SECOND).unwrap();
    let problem = &list(&folder, 0)[0];
    assert_eq!((problem.resolved, problem.resolved_at.as_deref()), (true, Some("1970-01-01T00:00:02.000Z")));
    // The lock is removed with the gateway.
    assert_eq!(names(&folder), ["problems.json"]);
}

#[test]
fn an_equal_set_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let reporter = start(&folder, "10-1");
    reporter.publish(0, &[]).unwrap();
    assert!(!folder.path().join("problems.json").exists());
    let version = || {
        let file = fs::metadata(folder.path().join("problems.json")).unwrap();
        (file.ino(), file.mtime(), file.mtime_nsec())
    };
    reporter.publish(0, &[failed("a"), failed("b")]).unwrap();
    let before = version();
    reporter.publish(SECOND, &[failed("b"), failed("a")]).unwrap();
    publish(&open(&folder), SECOND, Files::Mcp, []).unwrap();
    list(&folder, SECOND);
    assert_eq!(version(), before);
    reporter.publish(SECOND, &[failed("a")]).unwrap();
    assert_ne!(version(), before);
}

#[test]
fn problems_of_an_ended_gateway_are_resolved_when_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (start(&folder, "10-1"), start(&folder, "10-2"));
    one.publish(SECOND, &[failed("a"), failed("b")]).unwrap();
    other.publish(2 * SECOND, &[failed("b")]).unwrap();
    let (a, b) = ("mcp/server/a/server_error", "mcp/server/b/server_error");
    assert_eq!(times(&folder, 3 * SECOND), [format!("{a} 01-"), format!("{b} 01-")]);
    drop(one);
    assert_eq!(times(&folder, 4 * SECOND), [format!("{b} 01-"), format!("{a} 01-04")]);
    // The time at which it was noticed stays.
    assert_eq!(times(&folder, 5 * SECOND), [format!("{b} 01-"), format!("{a} 01-04")]);
    drop(other);
    assert_eq!(times(&folder, 6 * SECOND), [format!("{b} 01-06"), format!("{a} 01-04")]);
    assert_eq!(names(&folder), ["problems.json"]);
}

#[test]
fn problems_of_an_ended_gateway_are_resolved_when_another_one_publishes() {
    let folder = tempfile::tempdir().unwrap();
    let one = start(&folder, "10-1");
    one.publish(SECOND, &[failed("a"), failed("b")]).unwrap();
    drop(one);
    // The problems that the next gateway has too stay open.
    start(&folder, "10-2").publish(2 * SECOND, &[failed("b")]).unwrap();
    let known = content(&folder)["problems"].clone();
    let of = |at: usize| {
        (known[at]["message"].clone(), known[at]["first_seen"].clone(), known[at]["resolved"].clone())
    };
    let since = json!("1970-01-01T00:00:01.000Z");
    assert_eq!(of(0), (json!("server `b` failed"), since.clone(), json!(false)));
    assert_eq!(of(1), (json!("server `a` failed"), since, json!(true)));
}

#[test]
fn an_identity_belongs_to_one_running_gateway() {
    let folder = tempfile::tempdir().unwrap();
    let first = start(&folder, "10-1");
    let error = GatewayReporter::start(open(&folder), "10-1").unwrap_err();
    assert_eq!(error.to_string(), "the gateway `10-1` already reports its problems");
    drop(first);
    // Any string is an identity.
    for identity in ["10-1", "", "../x", "a/b", "ü", &"x".repeat(1_000)] {
        start(&folder, identity).publish(0, &[failed("a")]).unwrap();
    }
    assert!(list(&folder, 0).iter().all(|problem| problem.resolved));
    assert_eq!(names(&folder), ["problems.json"]);
}

const FOLDER: &str = "MINDS_TEST_GATEWAY";

/// The separate process: reports a problem until it is killed.
#[test]
fn a_gateway_that_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let state = Root::open(folder.as_ref(), MountId::WORKSPACE).unwrap();
    let reporter = GatewayReporter::start(state, "killed").unwrap();
    reporter.publish(SECOND, &[failed("a")]).unwrap();
    println!("published");
    let _ = std::io::stdin().read(&mut [0]);
}

#[test]
fn the_problems_of_a_killed_gateway_are_resolved() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "problems::a_gateway_that_is_killed", "--nocapture"])
        .env(FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("published")));
    assert_eq!(times(&folder, 2 * SECOND), ["mcp/server/a/server_error 01-"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(times(&folder, 3 * SECOND), ["mcp/server/a/server_error 01-03"]);
    assert_eq!(names(&folder), ["problems.json"]);
}

#[test]
fn gateways_that_publish_at_once_lose_nothing_of_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let reporters: Vec<GatewayReporter> =
        (0..8).map(|number| start(&folder, &format!("{number}-1"))).collect();
    for round in 0..5 {
        std::thread::scope(|scope| {
            for (number, reporter) in reporters.iter().enumerate() {
                let own = failed(&format!("{number}-{round}"));
                scope.spawn(move || reporter.publish(round, &[own, failed("shared")]).unwrap());
                let folder = &folder;
                scope.spawn(move || publish(&open(folder), round, Files::Team, []).unwrap());
            }
        });
        let open = list(&folder, round).into_iter().filter(|problem| !problem.resolved);
        let mut ids: Vec<String> = open.filter_map(|problem| problem.id).collect();
        ids.sort();
        let own = (0..8).map(|number| format!("{number}-{round}"));
        let expected: Vec<String> =
            own.chain(["shared".to_owned()]).map(|server| failed(&server).id).collect();
        assert_eq!(ids, expected);
    }
}

/// A list as earlier versions wrote it.
const EARLIER: &str = r#"{"version":1,"problems":[
    {"code":"team/unknown-toolset","severity":"warning","message":"unknown toolset `nope`","file":".minds/team.yaml",
     "range":{"start":{"line":2,"column":26},"end":{"line":2,"column":30}},"help":"fix it",
     "first_seen":"1970-01-01T00:00:01.000Z","resolved":false,"resolved_at":null,"place":"/members/a","number":0},
    {"code":"mcp/unused-key","severity":"error","message":"unused key","file":".minds/mcp.yaml","range":null,
     "first_seen":"1970-01-01T00:00:01.000Z","resolved":true,"resolved_at":"1970-01-01T00:00:02.000Z","place":"","number":0}
]}"#;

#[test]
fn a_list_of_an_earlier_version_is_read_as_that_of_validations() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("problems.json"), EARLIER).unwrap();
    let before = list(&folder, 0);
    assert_eq!(before.len(), 2);
    assert!(before.iter().all(|problem| problem.id.is_none() && problem.source == ProblemSource::Validation));
    let reporter = start(&folder, "10-1");
    reporter.publish(3 * SECOND, &[failed("a")]).unwrap();
    assert_eq!(
        times(&folder, 3 * SECOND),
        ["mcp/server/a/server_error 03-", "validation 01-", "validation 01-02"]
    );
    let after: Vec<RememberedProblem> =
        list(&folder, 0).into_iter().filter(|problem| problem.id.is_none()).collect();
    assert_eq!(after, before);
    assert_eq!(content(&folder)["version"], 1);
    // A validation resolves what an earlier version found.
    publish(&open(&folder), 4 * SECOND, Files::Team, []).unwrap();
    assert_eq!(times(&folder, 4 * SECOND)[1], "validation 01-04");
}

#[test]
fn a_damaged_list_is_renamed_and_a_later_one_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problems.json");
    let reporter = start(&folder, "10-1");
    fs::write(&file, "{").unwrap();
    assert!(GatewayProblems::read(Some(&open(&folder)), 0, None).list().is_none());
    let published = reporter.publish(0, &[failed("a")]).unwrap();
    assert_eq!(published.set_aside.as_deref(), Some("problems.damaged-1.json"));
    assert_eq!(list(&folder, 0).len(), 1);
    let later = r#"{"version":2,"problems":[]}"#;
    fs::write(&file, later).unwrap();
    let error = reporter.publish(0, &[]).unwrap_err();
    assert!(matches!(error, ProblemsError::LaterVersion { found: 2 }));
    assert_eq!(fs::read_to_string(&file).unwrap(), later);
}

#[test]
fn problems_of_gateways_are_watched() {
    let folder = tempfile::tempdir().unwrap();
    let state = open(&folder);
    let read = |before: Option<&GatewayProblems>| GatewayProblems::read(Some(&state), SECOND, before);
    let count = |problems: &GatewayProblems| problems.list().map(<[_]>::len);
    let none = read(None);
    assert_eq!(count(&none), Some(0));
    assert_eq!(count(&GatewayProblems::read(None, 0, None)), Some(0));
    let (one, other) = (start(&folder, "10-1"), start(&folder, "10-2"));
    one.publish(0, &[failed("a")]).unwrap();
    let some = read(Some(&none));
    assert_eq!(count(&some), Some(1));
    other.publish(0, &[failed("b")]).unwrap();
    let both = read(Some(&some));
    assert_eq!(count(&both), Some(2));
    // The file is unchanged, but a gateway has ended.
    drop(one);
    let rest = read(Some(&both));
    assert_eq!(count(&rest), Some(1));
    drop(other);
    assert_eq!(count(&read(Some(&rest))), Some(0));
}
