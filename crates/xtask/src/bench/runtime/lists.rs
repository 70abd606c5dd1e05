//! Lists of many tools, and reloads that touch one server.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use super::client::Client;
use super::{Workspace, descendants, quantile, server};

const SERVERS: usize = 50;
const TOOLS: usize = 20;
/// The number of timed lists, and of timed reloads.
const LISTS: usize = 200;
const RELOADS: usize = 15;
/// The server that a reload touches.
const TOUCHED: usize = 25;

/// Measures lists and reloads, with servers whose tools are remembered.
pub(super) fn run(minds: &Path, folder: &Path) {
    let workspace = Workspace::new(&folder.join("lists"));
    workspace.write(&servers(None));
    let serve = || Client::start(workspace.serve(minds, &[]));
    // The first one starts each server, and remembers the tools.
    let (mut client, _) = serve();
    while client.list().0.iter().filter(|name| is_tool_of_server(name)).count() < SERVERS * TOOLS {
        client.await_notification("notifications/tools/list_changed");
    }
    client.end();

    let (mut client, _) = serve();
    let (names, first) = client.list();
    let count = names.iter().filter(|name| is_tool_of_server(name)).count();
    assert_eq!(count, SERVERS * TOOLS, "all tools are remembered");
    wait_for_starts(&client);
    let mut lists: Vec<_> = (0..LISTS).map(|_| client.list().1).collect();
    println!("lists of {SERVERS} servers with {TOOLS} tools each, {} tools in pages", names.len());
    println!("  the first one, while the gateway starts     {:>8.1} ms", first.as_secs_f64() * 1e3);
    println!(
        "  all pages, median of {LISTS}                 {:>8.1} ms (goal: at most 5 ms)",
        quantile(&mut lists, 0.5) / 1e3
    );

    let before = pids(&client);
    let mut reloads = Vec::new();
    for round in 0..RELOADS {
        let name = format!("x{round}_");
        let start = Instant::now();
        workspace.write(&servers(Some(&name)));
        client.await_notification("notifications/tools/list_changed");
        reloads.push(start.elapsed());
        let wanted = format!("{name}0");
        assert!(client.list().0.contains(&wanted), "the new tools are listed");
    }
    let after = pids(&client);
    let kept = before.iter().filter(|(server, pid)| after.get(*server) == Some(pid)).count();
    println!(
        "reloads that touch 1 of {SERVERS} servers, from the save to the notification, {RELOADS} reloads"
    );
    println!(
        "  median                                      {:>8.0} ms (goal: at most 300 ms)",
        quantile(&mut reloads, 0.5) / 1e3
    );
    println!("  slowest                                     {:>8.0} ms", quantile(&mut reloads, 1.0) / 1e3);
    println!("  servers that kept their process             {kept:>8} (goal: {})", SERVERS - 1);
    client.end();
}

/// Returns the servers; the touched one may have other names for its tools.
fn servers(prefix: Option<&str>) -> Vec<(String, Vec<String>)> {
    let entry = |number: usize| {
        let usual = format!("s{number}_");
        let prefix = prefix.filter(|_| number == TOUCHED).unwrap_or(&usual);
        (format!("server-{number}"), server(&["--tools", &TOOLS.to_string(), "--prefix", prefix]))
    };
    (0..SERVERS).map(entry).collect()
}

/// Returns whether a name is that of a tool of a server: `s` and a number.
fn is_tool_of_server(name: &str) -> bool {
    name.strip_prefix('s').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the process of each server that has its usual names.
fn pids(client: &Client) -> BTreeMap<String, u32> {
    let is_server = |arguments: &[String]| arguments.get(1).is_some_and(|word| word == "bench-server");
    let processes = descendants(client.id()).into_iter().filter(|(_, arguments)| is_server(arguments));
    processes.filter_map(|(pid, arguments)| Some((arguments.get(5)?.clone(), pid))).collect()
}

/// Waits until each server runs.
fn wait_for_starts(client: &Client) {
    while pids(client).len() < SERVERS {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // They make their handshakes.
    std::thread::sleep(std::time::Duration::from_secs(1));
}
