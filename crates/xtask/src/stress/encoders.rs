//! Encoders of rendered files with values of every kind: a consumer reads exactly the original value, or the
//! value is refused.

use minds_compose::{ComposeFamily, check};
use minds_diagnostics::Problems;
use minds_render::{Artifact, Setting, artifacts};
use minds_vfs::{Snapshot, WorkspacePath};
use serde_json::Value;

use super::Options;
use crate::random::Random;

/// Characters with a special meaning in the formats.
const SIGNS: &[&str] = &[
    "\"", "'", "\\", "$", "%", "#", ";", "\n", "\r", "\0", "\u{2028}", "=", " ", "`", "${X}", "%i", "\t",
    "&", "<", "]]>",
];

const ROOT: &str = "/srv/it's a \"root\"/.team";

/// Renders agents with values of every kind, and prints the numbers of written and refused agents.
///
/// # Errors
///
/// Returns the value that was misread.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let mut random = Random::new(options.seed);
    let (mut written, mut refused) = (0_usize, 0_usize);
    for _ in 0..options.values {
        let values: [String; 5] = std::array::from_fn(|_| value(&mut random));
        let command = value(&mut random);
        match render(&values, &command) {
            Some(made) => {
                read_back(&made, &values, &command)
                    .map_err(|what| format!("{what} of {values:?} with {command:?} was misread"))?;
                written += 1;
            }
            None => refused += 1,
        }
    }
    println!("artifacts: {written} agents were read back correctly, {refused} were refused");
    let is_shown = written > options.values / 20 && refused > options.values / 20;
    if is_shown { Ok(()) } else { Err("too few values were written, or refused".to_owned()) }
}

/// Returns a string in which half of the characters have a special meaning in the formats; a few strings are
/// long.
fn value(random: &mut Random) -> String {
    if random.next_below(2_000) == 0 {
        return random.pick(&["x", "é", "$"]).repeat(65_536);
    }
    let length = random.next_below(6);
    let is_nasty = random.is_true_in(50);
    let part = |random: &mut Random| match is_nasty {
        true if random.is_true_in(60) => (*random.pick(SIGNS)).to_owned(),
        true => "a".to_owned(),
        false => {
            let code = u32::try_from(random.next_below(0x3000)).unwrap_or_default().max(0x20);
            char::from_u32(code).unwrap_or('x').to_string()
        }
    };
    (0..length).map(|_| part(random)).collect()
}

/// Returns the rendered files; none if a check reports an error.
fn render(values: &[String; 5], command: &str) -> Option<Vec<Artifact>> {
    let [model, mode, cwd, prefix, broker] = values.each_ref().map(|value| Value::from(value.as_str()));
    let compose = format!(
        "version: 2\nbroker: {{path: {broker}}}\nsupervisor: {{tmux_prefix: {prefix}}}\nprojects: [{{file: p.yaml}}]\n"
    );
    let project = format!(
        "version: 2\nproject: {{id: p, name: P, cwd: {cwd}}}\nmanagers: {{a: {{model: {model}, permission_mode: {mode}}}}}\n"
    );
    let path = |path| WorkspacePath::parse(path).expect("it is a path");
    let snapshot =
        Snapshot::new().with_file(path("team-compose.yaml"), compose).with_file(path("p.yaml"), project);
    let mut problems = Problems::new();
    let family = ComposeFamily::load(&snapshot).take(&mut problems);
    problems.append(check(&family));
    if problems.has_errors() {
        return None;
    }
    artifacts(&family, &Setting { root: ROOT, mcp_command: command }).ok()
}

fn read_back(made: &[Artifact], values: &[String; 5], command: &str) -> Result<(), String> {
    let [model, permission, cwd, prefix, broker] = values;
    let text = |ending: &str| {
        let artifact = made.iter().find(|artifact| artifact.path.as_str().ends_with(ending));
        String::from_utf8(artifact.expect("it is rendered").bytes.clone()).expect("it is UTF-8")
    };
    let mailbox = if broker.starts_with('/') { broker.clone() } else { format!("{ROOT}/{broker}") };
    let (env, servers) = (text(".env"), text(".json"));
    let lines: Vec<(&str, &str)> =
        env.split_terminator('\n').filter_map(|line| line.split_once('=')).collect();
    let (mcp_path, session) = (format!("{ROOT}/state/mcp/p-a.json"), format!("{prefix}p-a"));
    let expected: [(&str, &str); 11] = [
        ("AGENT_ID", "p:a"),
        ("PROJECT_ID", "p"),
        ("RUNTIME", "claude-code"),
        ("MODEL", model),
        ("PERMISSION_MODE", permission),
        ("TEAMCTL_MAILBOX", &mailbox),
        ("MCP_CONFIG", &mcp_path),
        ("SYSTEM_PROMPT_PATH", ""),
        ("CLAUDE_PROJECT_DIR", cwd),
        ("TEAMCTL_ROOT", ROOT),
        ("TMUX_SESSION", &session),
    ];
    if lines.get(..expected.len()) != Some(expected.as_slice()) || lines.len() != expected.len() + 2 {
        return Err("the environment".to_owned());
    }
    let mcp: Value = serde_json::from_str(&servers).map_err(|error| error.to_string())?;
    let server = &mcp["mcpServers"]["team"];
    let args: [&str; 8] =
        ["--agent-id", "p:a", "--mailbox", &mailbox, "--tmux-prefix", prefix, "--compose-root", ROOT];
    if server["command"] != command || server["args"] != Value::from(args.as_slice()) {
        return Err("the MCP server".to_owned());
    }
    Ok(())
}
