//! Checks files with the schemas in yaml-language-server, used as an editor uses it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use minds_workspace::schemas;
use serde_json::{Value, json};

use crate::files::{all, read, root};

/// The version of the language server.
const VERSION: &str = "1.25.0";

/// Sample workspaces, each with the expected messages of the server.
const SAMPLES: &str = "fixtures/editors";

/// Requests for completion: the file, its text with a `|` for the cursor, and the labels to compare; all if
/// the list is empty.
const COMPLETIONS: &[(&str, &str, &[&str])] = &[
    (".minds/team.yaml", "mem|", &["member_defaults", "members"]),
    (".minds/team.yaml", "members:\n  coder:\n    |", &[]),
    (".minds/team.yaml", "members:\n  coder:\n    model_params:\n      co|", &["codex"]),
    (".team/projects/shop.yaml", "version: 2\nworkers:\n  a:\n    runtime: |", &[]),
    (".team/projects/shop.yaml", "version: 2\nworkers:\n  a:\n    autonomy: |", &[]),
    (".team/projects/shop.yaml", "version: 2\nworkers:\n  a:\n    permission_mode: |", &[]),
];

/// Compares the messages of the language server about the samples with the expected ones, or records them if
/// `accept`. Returns whether they match; without Node, nothing is compared, and a line is printed.
pub fn run(accept: bool) -> bool {
    let Some(server) = install() else {
        println!("editors: skipped: Node, npm and yaml-language-server {VERSION} are required");
        return true;
    };
    let mut server = Server::start(&server);
    let mut samples: BTreeMap<String, String> = BTreeMap::new();
    for file in all(SAMPLES).iter().filter(|file| is_yaml(file)) {
        let sample = file.split("/.minds/").next().expect("a path has a beginning").to_owned();
        let messages = server.problems(&root().join(file), &read(file));
        let messages = if messages.is_empty() { "clean\n".to_owned() } else { messages };
        let name = file.rsplit('/').next().expect("a path has an end");
        samples.entry(sample).or_default().extend([name, "\n", &messages]);
    }
    assert!(samples.len() > 3, "there are too few samples");
    samples.insert(format!("{SAMPLES}/completions"), server.all_completions());
    let mut as_expected = true;
    for (sample, messages) in samples {
        let path = root().join(&sample).join("expected.txt");
        if accept {
            std::fs::write(&path, &messages).expect("the file can be written");
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&*messages) {
            as_expected = false;
            println!("editors: {sample}: the server reports\n{messages}");
        }
    }
    if as_expected {
        println!("editors: yaml-language-server {VERSION} reports the expected messages");
    }
    as_expected
}

/// Returns the program of the server, installed below `target/` if necessary; none if that is not possible.
fn install() -> Option<PathBuf> {
    let folder = root().join("target/editors");
    let program = folder.join("node_modules/yaml-language-server/bin/yaml-language-server");
    if !program.exists() {
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let manifest = json!({ "private": true, "dependencies": { "yaml-language-server": VERSION } });
        std::fs::write(folder.join("package.json"), manifest.to_string()).expect("the file can be written");
        let npm = Command::new("npm")
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--silent",
                "--fetch-retries=1",
                "--fetch-timeout=20000",
            ])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .status();
        if !npm.is_ok_and(|status| status.success()) {
            return None;
        }
    }
    let has_node = Command::new("node").arg("--version").stdout(Stdio::null()).status();
    has_node.is_ok_and(|status| status.success()).then_some(program)
}

/// A running server.
struct Server {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    settings: Value,
    asked: u64,
}

impl Server {
    fn start(program: &Path) -> Self {
        let mut child = Command::new("node")
            .arg(program)
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node starts");
        let requests = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let files = schemas().iter().filter(|kind| is_yaml(kind.file));
        let associations: serde_json::Map<String, Value> = files
            .map(|kind| {
                let schema = format!("schemas/draft-07/{}.schema.json", kind.name);
                (uri(&root().join(schema)), json!([format!("**/{}", kind.file)]))
            })
            .collect();
        let settings = json!({
            "validate": true,
            "yamlVersion": "1.2",
            "schemaStore": { "enable": false, "url": "" },
            "kubernetesCRDStore": { "enable": false },
            "schemas": associations,
        });
        let mut server = Self { child, requests, answers, settings, asked: 0 };
        let folder = uri(&root());
        server.ask(
            "initialize",
            &json!({
                "processId": null,
                "rootUri": folder,
                "workspaceFolders": [{ "uri": folder, "name": "repository" }],
                "capabilities": {
                    "workspace": { "configuration": true },
                    "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
                },
            }),
        );
        server.notify("initialized", &json!({}));
        let settings = json!({ "settings": { "yaml": server.settings } });
        server.notify("workspace/didChangeConfiguration", &settings);
        // The server requests its settings; a reply to any later request shows that it has received them.
        server.ask("$/settled", &json!({}));
        server
    }

    /// Returns the messages of the server about a document, sorted by position: a line `line:column message` for
    /// each.
    fn problems(&mut self, path: &Path, text: &str) -> String {
        let uri = uri(path);
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        let found = loop {
            let message = self.receive();
            if message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri {
                break message["params"]["diagnostics"].clone();
            }
        };
        let place = |found: &Value| {
            let start = &found["range"]["start"];
            (
                start["line"].as_u64().unwrap_or_default() + 1,
                start["character"].as_u64().unwrap_or_default() + 1,
            )
        };
        let mut lines: Vec<_> = found
            .as_array()
            .expect("problems are a list")
            .iter()
            .map(|found| (place(found), found["message"].as_str().unwrap_or_default().to_owned()))
            .collect();
        lines.sort();
        lines.iter().map(|((line, column), message)| format!("{line}:{column} {message}\n")).collect()
    }

    /// Returns the completions at each position of [`COMPLETIONS`].
    fn all_completions(&mut self) -> String {
        let mut lines = Vec::new();
        for (at, (path, text, labels)) in COMPLETIONS.iter().enumerate() {
            let offered = self.completions(&root().join(format!("completion-{at}")).join(path), text);
            lines.push(format!("{path}: {text:?}\n"));
            let is_compared = |label: &str| labels.is_empty() || labels.contains(&label);
            let offered = offered.iter().filter(|(label, _)| is_compared(label));
            lines.extend(offered.map(|(label, inserted)| format!("  {label}: {inserted:?}\n")));
        }
        lines.concat()
    }

    /// Returns the completions at the `|` in a document with the text that each inserts, sorted.
    fn completions(&mut self, path: &Path, text: &str) -> Vec<(String, String)> {
        let (before, after) = text.split_once('|').expect("the text has a cursor");
        let uri = uri(path);
        let text = format!("{before}{after}");
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().len();
        let answer = self.ask(
            "textDocument/completion",
            &json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": column } }),
        );
        let items = answer["items"].as_array().or(answer.as_array()).cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let inserted = |item: &Value| text(&item["textEdit"]["newText"]).or(text(&item["insertText"]));
        let mut offered: Vec<(String, String)> = items
            .iter()
            .map(|item| (text(&item["label"]).unwrap_or_default(), inserted(item).unwrap_or_default()))
            .collect();
        offered.sort();
        offered
    }

    /// Sends a request, and returns the result.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut answer = self.receive();
            if answer["id"] == id {
                return answer["result"].take();
            }
        }
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.requests, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        self.requests.flush().expect("the server reads");
    }

    /// Returns the next message that is not a request; requests are answered.
    fn receive(&mut self) -> Value {
        loop {
            let message = self.message();
            let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) else {
                return message;
            };
            let result = if method == "workspace/configuration" {
                let items = message["params"]["items"].as_array().cloned().unwrap_or_default();
                let setting = |item: &Value| match item["section"].as_str() {
                    Some("yaml") => self.settings.clone(),
                    _ => json!({}),
                };
                items.iter().map(setting).collect()
            } else {
                Value::Null
            };
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            self.send(&answer);
        }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.answers.read_line(&mut line).expect("the server writes text");
            assert!(read > 0, "the server has stopped");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", bytes)) => length = bytes.parse().expect("a length is a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.answers.read_exact(&mut text).expect("the server writes whole messages");
        serde_json::from_slice(&text).expect("the server writes JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_yaml(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "yaml")
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}
