//! The canonical order of keys in each file: the order of the fields of the models.

use std::collections::BTreeMap;

use minds_document::Snapshot;
use minds_document::yaml::KeyOrder::{self, Fields, Free, Items, Named};
use minds_paths::{Location, MountId};

use crate::family::ComposeFamily;
use crate::place::{COMPOSE_FILE, RUNTIMES};

/// Returns the files of the compose root in `snapshot` that can be formatted, each with its key order. Files
/// outside the workspace are left out, because they may belong to another project.
pub fn key_orders(snapshot: &Snapshot) -> BTreeMap<Location, &'static KeyOrder> {
    let family = ComposeFamily::load(snapshot).value;
    if family.compose.is_none() {
        return BTreeMap::new();
    }
    let inside = |path: &str| Some(Location::new(MountId::WORKSPACE, family.root.join(path).ok()?));
    let compose = inside(COMPOSE_FILE).map(|location| (location, &COMPOSE));
    let places = family.projects.iter().filter_map(|file| file.place.as_ref().ok());
    let projects = places.map(|place| (place.location.clone(), &PROJECT));
    let descriptors = family.runtimes.keys().filter_map(|id| inside(&format!("{RUNTIMES}/{id}.yaml")));
    let files = projects.chain(descriptors.map(|location| (location, &RUNTIME))).chain(compose);
    files.filter(|(location, _)| location.mount == MountId::WORKSPACE).collect()
}

static COMPOSE: KeyOrder = Fields(&[
    ("version", Free),
    ("broker", Fields(&[("type", Free), ("path", Free)])),
    ("supervisor", Fields(&[("type", Free), ("tmux_prefix", Free), ("drain_timeout_secs", Free)])),
    (
        "budget",
        Fields(&[
            ("daily_usd_limit", Free),
            ("warn_threshold_pct", Free),
            ("message_ttl_hours", Free),
            ("per_project_usd_limit", Free),
        ]),
    ),
    (
        "hitl",
        Fields(&[
            ("globally_sensitive_actions", Free),
            (
                "auto_approve_windows",
                Items(&Fields(&[
                    ("action", Free),
                    ("project", Free),
                    ("agent", Free),
                    ("scope", Free),
                    ("until", Free),
                ])),
            ),
        ]),
    ),
    (
        "rate_limits",
        Fields(&[("default_on_hit", Free), ("hooks", Items(&HOOK)), ("fallback_wait_seconds", Free)]),
    ),
    // The keys of `config` are defined by the adapter.
    ("interfaces", Items(&Fields(&[("type", Free), ("name", Free), ("config", Free)]))),
    ("projects", Items(&Fields(&[("file", Free)]))),
    (
        "attachments",
        Fields(&[
            ("enabled", Free),
            ("max_size_bytes", Free),
            ("allowed_roots", Free),
            ("scanner", Fields(&[("command", Free), ("timeout_seconds", Free)])),
            ("audit_log_path", Free),
            ("tempfile_ttl_seconds", Free),
        ]),
    ),
]);

static HOOK: KeyOrder = Fields(&[
    ("name", Free),
    ("action", Free),
    ("to", Free),
    ("template", Free),
    ("url", Free),
    ("url_env", Free),
    ("method", Free),
    ("command", Free),
]);

static PROJECT: KeyOrder = Fields(&[
    ("version", Free),
    ("project", Fields(&[("id", Free), ("name", Free), ("cwd", Free)])),
    ("channels", Items(&Fields(&[("name", Free), ("members", Free)]))),
    ("managers", Named(&AGENT)),
    ("workers", Named(&AGENT)),
]);

static AGENT: KeyOrder = Fields(&[
    ("runtime", Free),
    ("model", Free),
    ("role_prompt", Free),
    ("permission_mode", Free),
    ("autonomy", Free),
    ("can_dm", Free),
    ("can_broadcast", Free),
    ("reports_to", Free),
    ("on_rate_limit", Free),
    ("effort", Free),
    (
        "interfaces",
        Fields(&[(
            "telegram",
            Fields(&[
                ("bot_token_env", Free),
                ("chat_ids_env", Free),
                (
                    "speech_to_text",
                    Fields(&[("provider", Free), ("api_key_env", Free), ("model", Free), ("language", Free)]),
                ),
            ]),
        )]),
    ),
    ("display_name", Free),
]);

static RUNTIME: KeyOrder = Fields(&[
    ("binary", Free),
    ("supports_mcp", Free),
    ("session_resume", Free),
    ("default_model", Free),
    ("env", Free),
    (
        "rate_limit_patterns",
        Items(&Fields(&[("match", Free), ("resets_at_capture", Free), ("resets_in_capture", Free)])),
    ),
]);
