//! Which crates and modules may use a library.

use super::architecture::{dependencies, packages};

/// Libraries that only one crate may know, so that nothing else can depend on what they are.
const OWNED: &[(&str, &[&str])] = &[
    ("agent-client-protocol-schema", &["minds-acp"]),
    ("clap", &["minds-cli", "minds-fleet-cli", "minds-output", "xtask"]),
    ("annotate-snippets", &["minds-diagnostics"]),
    // Tests read rendered files with an independent reader.
    ("saphyr-parser", &["minds-document", "minds-render", "minds-workspace", "xtask"]),
    ("serde-saphyr", &["minds-render"]),
    ("toml", &["minds-document", "minds-render", "minds-workspace", "xtask"]),
    ("toml_datetime", &["minds-document"]),
    ("toml_parser", &["minds-document"]),
    ("landlock", &["minds-exec", "minds-fs"]),
    ("proc-macro2", &["minds-document-derive"]),
    ("quote", &["minds-document-derive"]),
    ("rmcp", &["minds-fleet-mcp", "minds-mcp-gateway", "minds-server"]),
    ("syn", &["minds-document-derive"]),
    ("tokio", &["minds-fleet-mcp", "minds-mcp-gateway", "minds-model-client", "minds-server"]),
    ("hyper", &["minds-mcp-gateway", "minds-model-client", "minds-server"]),
    ("hyper-util", &["minds-mcp-gateway", "minds-model-client", "minds-server"]),
    ("http-body-util", &["minds-mcp-gateway", "minds-model-client", "minds-server"]),
    ("futures-core", &["minds-mcp-gateway"]),
    ("httpdate", &["minds-model-client"]),
    ("hyper-rustls", &["minds-mcp-gateway", "minds-model-client"]),
    ("redis", &["minds-fleet-bus"]),
    ("rustls", &["minds-fleet-bus", "minds-mcp-gateway", "minds-model-client"]),
    ("rustls-native-certs", &["minds-fleet-bus", "minds-mcp-gateway", "minds-model-client"]),
    ("sse-stream", &["minds-mcp-gateway"]),
    ("tower-service", &["minds-model-client"]),
    ("getrandom", &["minds-process"]),
    ("signal-hook", &["minds-process"]),
    ("rustix", &["minds-exec", "minds-fs", "minds-git", "minds-process", "xtask"]),
    ("nix", &["minds-fleet-agent", "minds-fs", "minds-process", "xtask"]),
    ("jsonc-parser", &["minds-operations", "minds-render"]),
    ("ignore", &["minds-fs", "minds-installer"]),
    ("similar", &["minds-text"]),
    ("uuid", &["minds-render"]),
    ("fuser", &["xtask"]),
];

#[test]
fn libraries_are_used_only_by_their_owners() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        for dependency in dependencies(&package) {
            if let Some((_, owners)) = OWNED.iter().find(|(library, _)| *library == dependency) {
                assert!(owners.contains(&name), "`{name}` must not depend on `{dependency}`");
            }
        }
    }
}

/// The library of the protocol changes often, so only one module of a crate uses it. Asynchronous code is in few modules.
#[test]
fn few_modules_use_the_protocol_library() {
    const SERVER: &str = "crates/server/src/mcp/protocol/";
    const GATEWAY: &str = "crates/mcp-gateway/src/client/";
    check_modules(
        "crates/server/src",
        SERVER,
        &["crates/server/src/view/http/", "crates/server/src/transport/"],
    );
    check_modules("crates/fleet-mcp/src", "crates/fleet-mcp/src/protocol/", &[]);
    check_modules(
        "crates/mcp-gateway/src",
        GATEWAY,
        // The relay waits for the pipes of many programs on one thread.
        &["crates/mcp-gateway/src/worker/", "crates/mcp-gateway/src/link/relay/"],
    );
    // Models have no library of a protocol.
    check_modules("crates/model-client/src", "crates/model-client/src/http/", &[]);
}

/// Checks that only `protocol` uses the library of the protocol, and only it and `others` contain asynchronous code.
fn check_modules(sources: &str, protocol: &str, others: &[&str]) {
    let sources = xtask::files::all(sources);
    for folder in others.iter().chain([&protocol]) {
        assert!(sources.iter().any(|path| path.starts_with(folder)), "{folder} does not exist");
    }
    let mut outside = Vec::new();
    for path in sources {
        let text = xtask::files::read(&path);
        let is_protocol = path.starts_with(protocol);
        let is_asynchronous = is_protocol || others.iter().any(|folder| path.starts_with(folder));
        let libraries = [("rmcp::", is_protocol)]
            .into_iter()
            .chain(["tokio::", "hyper::", ".await", "async "].map(|library| (library, is_asynchronous)));
        for (library, is_permitted) in libraries {
            if !is_permitted && text.contains(library) {
                outside.push(format!("{path}: {library}"));
            }
        }
    }
    assert_eq!(outside, Vec::<String>::new());
}
