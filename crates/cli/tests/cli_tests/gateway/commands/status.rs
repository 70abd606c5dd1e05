//! `minds gateway status`

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{normalize, pretty, this_program, world_of_states};
use crate::gateway::harness::processes::{Family, signal};
use crate::gateway::{World, eventually, pid};
use crate::mcp::session::Session;

fn without_places(world: &World, text: &str) -> String {
    text.replace(&this_program(), "[program]").replace(&world.marker(), "[folder]")
}

#[test]
fn the_servers_of_the_file_are_shown_without_a_gateway() {
    let world = world_of_states();
    let (code, human, stderr) = world.run(&["gateway", "status"]);
    assert_eq!(code, 0, "{stderr}");
    insta::assert_snapshot!("idle", without_places(&world, &format!("{human}{stderr}")));
    let (code, document) = world.document(&["gateway", "status", "--format", "json"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!("idle_json", pretty(&world, document));
    assert!(world.starts("files").is_empty(), "nothing is started");
}

#[test]
fn each_server_is_started_once() {
    let world = world_of_states();
    let (code, human, stderr) = world.run(&["gateway", "status", "--start"]);
    assert_eq!(code, 1, "{stderr}");
    insta::assert_snapshot!("start", without_places(&world, &format!("{human}{stderr}")));
    let (code, document) = world.document(&["gateway", "status", "--start", "--json"]);
    assert_eq!(code, 1);
    insta::assert_snapshot!("start_json", pretty(&world, document));
    assert_eq!((world.starts("files").len(), world.starts("web").len()), (2, 2));
    // Only what is shown decides.
    let (code, human, _) = world.run(&["gateway", "status", "files", "--start"]);
    assert_eq!(code, 0, "{human}");
    let (code, human, _) = world.run(&["gateway", "status", "bad", "--start"]);
    assert_eq!(code, 1, "{human}");
    assert!(human.contains("log: bad fails at handshake"), "{human}");
    let (_, document) = world.document(&["gateway", "status", "bad", "--start", "--json"]);
    let ids: Vec<_> = document["problems"].as_array().unwrap().iter().map(|problem| &problem["id"]).collect();
    assert_eq!(ids, ["mcp/server/bad/server_error"]);
    assert_eq!(document["servers"].as_array().unwrap().len(), 1);
    // Afterwards tools are remembered.
    let (_, document) = world.document(&["gateway", "status", "web", "--json"]);
    assert_eq!(
        (&document["servers"][0]["tools"], &document["servers"][0]["from_memory"]),
        (&json!(1), &json!(true))
    );
}

#[test]
fn running_gateways_are_shown_together() {
    let world = world_of_states();
    world.team(&json!({"coder": {"toolsets": ["files", "web"]}}));
    let mut coder = world.session(&["--member", "coder"]);
    let mut operator = world.session(&[]);
    let shown = |session: &mut Session| pid(session, "fs_list_files");
    assert_ne!(shown(&mut coder), shown(&mut operator));
    pid(&mut coder, "fetch");
    let document = eventually("the failures of both", || {
        let (code, document) = world.document(&["gateway", "status", "--json"]);
        assert_eq!(code, 0);
        let bad =
            document["servers"].as_array().unwrap().iter().find(|server| server["id"] == "bad").unwrap();
        (bad["state"] == "failing" && document["gateways"].as_array().unwrap().len() == 2).then_some(document)
    });
    let callers: Vec<&Value> =
        document["gateways"].as_array().unwrap().iter().map(|gateway| &gateway["caller"]).collect();
    assert_eq!(callers.len(), 2);
    assert!(callers.iter().any(|caller| caller.as_str().unwrap().contains("coder")), "{callers:?}");
    let server = |id: &str| {
        normalize(
            &world,
            document["servers"].as_array().unwrap().iter().find(|server| server["id"] == id).unwrap().clone(),
        )
    };
    let files = server("files");
    assert_eq!(
        (&files["state"], &files["leases"], &files["tools"]),
        (&json!("ready"), &json!(2), &json!(1)),
        "{files}"
    );
    assert_eq!((&files["skipped"], &files["in_flight"]), (&json!(1), &json!(0)));
    assert_eq!(server("web")["leases"], 1);
    // Problems of both are shown once.
    let ids: Vec<_> =
        document["problems"].as_array().unwrap().iter().map(|problem| problem["id"].as_str()).collect();
    assert_eq!(ids.iter().filter(|id| **id == Some("mcp/server/bad/server_error")).count(), 1, "{ids:?}");
    let (code, human, _) = world.run(&["gateway", "status"]);
    assert_eq!(code, 0);
    assert_eq!(human.lines().filter(|line| line.starts_with("gateway ")).count(), 2, "{human}");
    assert!(human.contains("2 connections") && human.contains(", 1 conversation\n"), "{human}");
    // A gateway that was killed is not shown, and its files are removed.
    drop(coder);
    eventually("one gateway", || {
        let (code, document) = world.document(&["gateway", "status", "--json"]);
        assert_eq!(code, 0, "{document}");
        (document["gateways"].as_array().unwrap().len() == 1).then_some(())
    });
}

#[test]
fn gateways_that_start_and_end_meanwhile_are_not_errors() {
    let world = World::with_servers();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..15 {
                let session = world.session(&[]);
                if number % 2 == 0 {
                    session.end();
                }
            }
            is_over.store(true, Ordering::SeqCst);
        });
        while !is_over.load(Ordering::SeqCst) {
            let (code, stdout, stderr) = world.run(&["gateway", "status", "--json"]);
            assert_eq!(code, 0, "{stdout}{stderr}");
        }
    });
    world.wait_for_end().unwrap();
    let (_, document) = world.document(&["gateway", "status", "--json"]);
    assert_eq!(document["gateways"], json!([]));
}

#[test]
fn files_of_gateways_that_were_killed_are_removed() {
    let world = World::with_servers();
    let session = world.session(&[]);
    let mcp = session.pid().parse().unwrap();
    let family = Family::of(mcp, &world.marker()).unwrap();
    let files = || {
        // The gateway makes it when it starts.
        let folders = std::fs::read_dir(world.path("run/minds/gateway")).into_iter().flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
        // A file that is being written has a hidden name.
        files.filter(|file| !file.as_ref().unwrap().file_name().to_str().unwrap().starts_with('.')).count()
    };
    eventually("the announcement", || (files() == 2).then_some(()));
    for id in [family.supervisor, family.worker] {
        signal("KILL", id.into());
    }
    drop(session);
    world.wait_for_end().unwrap();
    // The socket of a process is closed shortly after it has given up its memory.
    eventually("no files and no sockets", || {
        let (code, document) = world.document(&["gateway", "status", "--json"]);
        assert_eq!((code, &document["gateways"]), (0, &json!([])));
        (files() == 0).then_some(())
    });
}

#[test]
fn output_to_a_pipe_has_no_colors_and_secrets_are_redacted() {
    let world = World::with_servers();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let entry = world.entry_after(&format!("echo 'token {secret}' >&2"), "files");
    world.servers(&[("files", entry)]);
    for args in
        [&["gateway", "status", "files", "--start"][..], &["gateway", "status", "files", "--start", "--json"]]
    {
        let (code, stdout, stderr) = world.run(args);
        assert_eq!(code, 0, "{stdout}{stderr}");
        assert!(stdout.contains("token ") && !stdout.contains(secret), "{stdout}");
        assert!(!stdout.contains('\u{1b}'), "{stdout}");
    }
    let (_, colored, _) = world.run(&["--color", "always", "gateway", "status"]);
    assert!(colored.contains("\u{1b}["), "{colored}");
}
