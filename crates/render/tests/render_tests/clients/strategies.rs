//! Random servers. Used by tests and by `cargo xtask stress`.

use minds_core::EnvVar;
use minds_render::clients::{Connection, ServerEntry, Setting, SettingValue, WithPlace};
use proptest::prelude::*;

/// Strings with special characters, some of them of 64 KiB.
fn awkward() -> impl Strategy<Value = String> + Clone {
    let part = prop::sample::select(vec![
        "\"", "\\", "$", "${", "}", "{env:", "{file:", "X", "\n", "\r", "\r\n", "\t", "\0", "\u{2028}", "'",
        "%X%", "#", "[", "]", "=", "a", "ä", "🤖", "\u{7f}", "\u{85}", "`", " ", "//", "/*", "\u{feff}",
        "''", "\"\"\"", "\u{1b}",
    ]);
    let parts = |count| prop::collection::vec(part.clone(), count).prop_map(|parts| parts.concat());
    prop_oneof![
        16 => parts(0..8),
        4 => "[a-z]{1,8}",
        1 => parts(1..8).prop_map(|text| text.repeat(64 * 1024 / text.len())),
    ]
}

fn variable() -> impl Strategy<Value = EnvVar> {
    prop::sample::select(vec!["A", "TOKEN", "_x1"]).prop_map(|name| EnvVar::parse(name).unwrap())
}

fn settings(
    name: impl Strategy<Value = String>,
    prefix: impl Strategy<Value = String>,
) -> impl Strategy<Value = Vec<Setting>> {
    let value = prop_oneof![
        awkward().prop_map(SettingValue::Literal),
        (variable(), prefix).prop_map(|(name, prefix)| SettingValue::Variable { name, prefix }),
    ];
    prop::collection::btree_map(name, value, 0..4).prop_map(|settings| {
        let setting = |(name, value)| Setting { name, value: WithPlace::without_place(value) };
        settings.into_iter().map(setting).collect()
    })
}

fn without_places(strings: Vec<String>) -> Vec<WithPlace<String>> {
    strings.into_iter().map(WithPlace::without_place).collect()
}

pub(super) fn server(name: &'static str) -> impl Strategy<Value = ServerEntry> {
    let env_name = prop_oneof![
        4 => prop::sample::select(vec!["A", "TOKEN", "x.y", "a b"]).prop_map(str::to_owned),
        1 => awkward().prop_map(|name| name.replace(['=', '\0'], "").chars().take(20).collect::<String>() + "N"),
    ];
    let header_name =
        prop::sample::select(vec!["Authorization", "x-a", "X!#$%&'*+.^_`|~"]).prop_map(str::to_owned);
    let prefix = prop_oneof![Just(String::new()), Just("Bearer ".to_owned()), awkward()];
    let program = (
        awkward(),
        prop::collection::vec(awkward(), 0..3),
        settings(env_name, Just(String::new())),
        prop::option::of(awkward()),
    )
        .prop_map(|(command, args, env, cwd)| Connection::Program {
            command: WithPlace::without_place(command),
            args: without_places(args),
            env,
            cwd: cwd.map(|cwd| WithPlace::without_place(format!("/{cwd}"))),
        });
    let address = (awkward(), settings(header_name, prefix))
        .prop_map(|(url, headers)| Connection::Address { url: WithPlace::without_place(url), headers });
    (prop_oneof![program, address], prop::bool::weighted(0.9)).prop_map(move |(connection, is_enabled)| {
        ServerEntry {
            name: name.into(),
            connection,
            is_enabled,
            whitelist: Vec::new(),
            blacklist: Vec::new(),
            unsupported: Vec::new(),
        }
    })
}
