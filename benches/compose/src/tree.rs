//! A compose root with many agents, which both programs take for valid.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// How many projects there are, and how many agents each has: a thousand together.
pub(crate) const PROJECTS: usize = 10;
pub(crate) const AGENTS: usize = 100;
const MANAGERS: usize = 10;

const RUNTIMES: [&str; 4] = ["claude-code", "codex", "gemini", "aider"];

/// Writes the root at `root`, without any artifact, and returns how many bytes its files hold.
pub(crate) fn write(root: &Path) -> usize {
    let _ = fs::remove_dir_all(root);
    let mut bytes = 0;
    let mut file = |path: &str, text: &str| {
        let path = root.join(path);
        let parent = path.parent().expect("it has a directory");
        fs::create_dir_all(parent).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
        bytes += text.len();
    };
    file("team-compose.yaml", &compose());
    file("runtimes/aider.yaml", "binary: aider\nsupports_mcp: true\nenv:\n  AIDER_YES: '1'\n");
    file("roles/guide.md", &prompt("Everybody here", 24));
    for number in 0..PROJECTS {
        file(&format!("projects/part-{number}.yaml"), &project(number));
        file(&format!("roles/part-{number}/all.md"), &prompt("Everybody in this project", 16));
        for agent in 0..AGENTS {
            file(&format!("roles/part-{number}/{}.md", id(agent)), &prompt(&id(agent), 30));
        }
    }
    bytes
}

fn id(agent: usize) -> String {
    if agent < MANAGERS { format!("lead-{agent}") } else { format!("dev-{agent}") }
}

fn prompt(who: &str, lines: usize) -> String {
    let line = |line| format!("- {who} keeps rule number {line}, tells why, and asks before it is broken.\n");
    format!("# {who}\n\n") + &(0..lines).map(line).collect::<String>()
}

fn compose() -> String {
    let head = "\
version: 2
broker:
  type: sqlite
  path: state/mailbox.db
supervisor:
  type: tmux
  tmux_prefix: bench-
  drain_timeout_secs: 20
budget:
  daily_usd_limit: 200
  message_ttl_hours: 48
hitl:
  globally_sensitive_actions: [publish, deploy, payment]
rate_limits:
  default_on_hit: [wait, tell]
  hooks:
    - name: tell
      action: send
      to: part-0:lead-0
      template: 'limit of {agent} until {resets_at}'
  fallback_wait_seconds: 900
projects:
";
    let entry = |number| format!("  - file: projects/part-{number}.yaml\n");
    head.to_owned() + &(0..PROJECTS).map(entry).collect::<String>()
}

fn project(number: usize) -> String {
    let mut text = format!(
        "# Part {number} of everything.\nversion: 2\nproject:\n  id: part-{number}\n  name: Part {number}\n  cwd: ../part-{number}\n\
         channels:\n  - name: all\n    members: '*'\n  - name: leads\n    members:\n"
    );
    for manager in 0..MANAGERS {
        let _ = writeln!(text, "      - {}", id(manager));
    }
    for agent in 0..AGENTS {
        match agent {
            0 => text.push_str("managers:\n"),
            MANAGERS => text.push_str("workers:\n"),
            _ => {}
        }
        let own = format!("roles/part-{number}/{}.md", id(agent));
        let _ = write!(
            text,
            "  # The agent with the number {agent}.\n  {id}:\n    runtime: {runtime}\n    model: model-{model}\n\
             \x20   permission_mode: auto\n    effort: {effort}\n    display_name: \"Agent {agent} of {number}\"\n",
            id = id(agent),
            runtime = RUNTIMES[agent % RUNTIMES.len()],
            model = agent % 5,
            effort = ["low", "medium", "high"][agent % 3],
        );
        if agent % 2 == 0 {
            let _ = write!(
                text,
                "    role_prompt:\n      - roles/guide.md\n      - roles/part-{number}/all.md\n      - {own}\n"
            );
        } else {
            let _ = writeln!(text, "    role_prompt: {own}");
        }
        let lead = id(agent % MANAGERS);
        let _ = write!(text, "    can_dm: [{lead}, lead-1, {}]\n    can_broadcast: [all]\n", id(AGENTS - 1));
        if agent < MANAGERS {
            let _ = write!(
                text,
                "    interfaces:\n      telegram:\n        bot_token_env: BOT_{agent}\n        chat_ids_env: CHATS_{agent}\n"
            );
        } else {
            let _ = writeln!(text, "    reports_to: {lead}");
        }
    }
    text
}
