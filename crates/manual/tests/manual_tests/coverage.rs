//! What the manual must cover, page by page.

use crate::{LANGUAGES, page};

/// Every page about a topic, in both languages, contains all of these.
#[track_caller]
fn covers(path: &[&str], words: &[&str]) {
    for language in LANGUAGES {
        let page = page(path, language);
        for word in words {
            assert!(page.contains(word), "{path:?} in {} lacks {word:?}", language.as_str());
        }
    }
}

#[test]
fn the_team_file_is_explained() {
    covers(&["team"], &["member_defaults", "default_responder", "members", "shell_specialists"]);
    covers(
        &["team"],
        &["hidden: true", "`!name`", "`*`", "toolsets: []", "no_write_dirs: []", "fuxi", "pangu"],
    );
    covers(
        &["team"],
        &["team_mgmt_validate_team_cfg({})", "team_mgmt_preview_", "hunk_id", "`x-…`", "mcp.yaml"],
    );
    covers(&["team"], &["# .minds/team.yaml\n", "streaming: true", "icon:"]);
}

#[test]
fn every_property_of_members_is_explained() {
    for field in [
        "name",
        "icon",
        "gofor",
        "nogo",
        "provider",
        "model",
        "model_params",
        "toolsets",
        "tools",
        "streaming",
        "hidden",
        "read_dirs",
        "no_read_dirs",
        "write_dirs",
        "no_write_dirs",
        "read_file_ext_names",
        "no_read_file_ext_names",
        "write_file_ext_names",
        "no_write_file_ext_names",
        "diligence-push-max",
        "diligence_push_max",
        "fbr-effort",
        "fbr_effort",
        "fbr_model_params",
        "from",
        "use",
        "import",
    ] {
        covers(&["team", "member-properties"], &[&format!("\n| `{field}` | ")]);
    }
    covers(&["team", "member-properties"], &["name: 123", "`null`", "member_defaults"]);
}

#[test]
fn providers_of_models_are_explained() {
    covers(
        &["llm"],
        &["`provider`", "`model`", "team.yaml", "`providers`", "`models`", "apiKeyEnvVar", "secret/token"],
    );
    covers(
        &["llm"],
        &["team_mgmt_validate_llm_cfg({})", "team_mgmt_validate_team_cfg({})", "builtin-defaults"],
    );
    for field in [
        "name",
        "apiType",
        "baseUrl",
        "apiKeyEnvVar",
        "tech_spec_url",
        "api_mgmt_url",
        "models",
        "model_param_options",
    ] {
        covers(&["llm"], &[&format!("\n| `{field}` | ")]);
    }
    for field in ["context_length", "input_length", "output_length", "context_window", "optimal_max_tokens"] {
        covers(&["llm"], &[&format!("\n| `{field}` | ")]);
    }
}

#[test]
fn servers_are_explained() {
    covers(
        &["mcp"],
        &["stdio", "streamable_http", "`sse`", "sessionId", "headers", "{env: NAME}", "`prefix`"],
    );
    covers(
        &["mcp"],
        &["tools.whitelist", "tools.blacklist", "`transform`", "suffix", "{remove: a_, add: b_}"],
    );
    covers(
        &["mcp"],
        &["truely-stateless", "mcp_release", "enabled: false", "team_mgmt_validate_mcp_cfg({})"],
    );
    covers(
        &["mcp"],
        &[
            "mcp_restart",
            "mcp_disable",
            "mcp/no-effect",
            "SERVER_UNAVAILABLE",
            "gateway.inherit_env",
            "fleet",
        ],
    );
    covers(&["mcp"], &["toolsets: [ws_read, browser]", "team_mgmt_validate_team_cfg({})", "troubleshooting"]);
    for field in [
        "transport",
        "command",
        "args",
        "env",
        "cwd",
        "url",
        "headers",
        "tools",
        "tools.whitelist",
        "enabled",
    ] {
        covers(&["mcp"], &[&format!("\n| `{field}` | ")]);
    }
    covers(
        &["mcp", "troubleshooting"],
        &["mcp_restart", "mcp_admin", "team_mgmt_validate_mcp_cfg({})", "version: 1"],
    );
    covers(
        &["mcp", "troubleshooting"],
        &["mcp/tool-name-collision", "mcp/invalid-tool-name", "mcp/toolset-collision"],
    );
    covers(
        &["mcp", "troubleshooting"],
        &["mcp/server-error", "mcp/workspace-config-error", "mcp/unmatched-filter-entry", "minds://problems"],
    );
}

#[test]
fn the_other_topics_are_explained() {
    covers(
        &["minds"],
        &["persona.md", "knowledge.md", "lessons.md", "minds/unknown-member", "persona.zh.md", "UTF-8"],
    );
    covers(
        &["permissions"],
        &["no_read_dirs", "write_dirs", "`*.tsk`", ".minds", "`**/secret`", "access/dropped-deny-list"],
    );
    covers(&["permissions"], &["read_file_ext_names", "team-mgmt", "access_explain"]);
    covers(
        &["bootstrap"],
        &["fuxi", "pangu", "`team-mgmt`", "`!team-mgmt`", ".minds/team.yaml", "builtin-defaults"],
    );
    covers(&["toolsets"], &["team/excluded-tool", "`control`", "shell_specialists", "`os`", "`ws_mod`"]);
    covers(
        &["troubleshooting"],
        &["team/missing-provider", "team/missing-model", "team/unknown-provider", "llm.yaml"],
    );
    covers(
        &["troubleshooting"],
        &[".minds/", "TOOL_NOT_GRANTED", "\"mcp\", \"troubleshooting\"", "team_mgmt_move_file"],
    );
    covers(
        &["files"],
        &["`.minds/team.yaml`", "known_old_sha256", "existing_hunk_id", "context_match", "STATS_MISMATCH"],
    );
    covers(&["findings"], &["minds: allow(", "valid", "problems", "severity"]);
    covers(&["settings"], &["task_home", "task_maintainers", "check.strict", "minds.toml"]);
    for field in ["start_timeout_seconds", "call_timeout_seconds", "idle_timeout_seconds"] {
        covers(&["settings"], &[&format!("\n| `gateway.{field}` | ")]);
    }
    covers(
        &["settings"],
        &["`gateway.stop_timeout_seconds`", "`gateway.inherit_env`", "inherit_env = false"],
    );
    covers(
        &["tasks"],
        &["`**/*.tsk/**`", "`change_mind`", "`recall_taskdoc`", "`bearinmind/risks.md`", "`## Bear In Mind`"],
    );
    covers(
        &["tasks"],
        &["task_maintainers = [\"fuxi\"]", "NOT_MAINTAINER", "previous_content_hash", "`task_undo`"],
    );
    covers(&["index"], &["team_mgmt_validate({})", "team_mgmt_list_dir", "team_mgmt_read_file", "llm.yaml"]);
    covers(&["topics"], &["UNKNOWN_TOPIC", "member-properties", "`!`"]);
}
