use super::*;
use crate::secrets::mask_secrets;

const CANARY: &str = "hunter2plum";

#[track_caller]
fn hides(text: &str, reading: TextKind) {
    let shown = mask_secrets(text, reading);
    assert!(!shown.contains("plum"), "{text} -> {shown}");
    assert_eq!(shown.len(), text.len(), "{text}");
    assert_eq!(shown.lines().count(), text.lines().count(), "{text}");
}

#[track_caller]
fn shows(text: &str, reading: TextKind) {
    assert_eq!(mask_secrets(text, reading), text);
}

#[test]
fn values_of_keys_that_name_secrets_are_hidden_in_every_syntax() {
    for key in ["apiKey", "API_KEY", "X-Api-Key", "password", "token", "client_secret", "Authorization"] {
        for form in [
            "KEY: VALUE\n",
            "KEY: VALUE # comment\n",
            "a:\n  - KEY: 'VALUE'\n",
            "a: {KEY: VALUE, b: c}\n",
            "a: {b: c, 'KEY': \"VALUE\"}\n",
            "KEY: |\n  first\n  VALUE\nb: c\n",
            "KEY: >-\n  VALUE\n",
            "KEY:\n  VALUE\n",
            "KEY:\n- VALUE\n",
            "KEY:\n  - VALUE\n  - x: VALUE\n",
            "KEY: first\n  VALUE\n",
            "KEY: [VALUE, 'VALUE']\n",
            "KEY: {value: VALUE}\n",
            "KEY: {\n  \"x\": \"VALUE\"\n}\n",
            "KEY: Bearer VALUE\n",
            "{\"KEY\": \"VALUE\"}",
            "{\"KEY\":\"a\\\"VALUE\"}",
            "{\n  \"a\": {\"KEY\" : \"VALUE\"\n",
            "KEY = \"VALUE\"\n",
            "KEY = '''\nVALUE'''\n",
            "KEY = \"\"\"\nVALUE\"\"\"\n",
            "a = {KEY = \"VALUE\"}\n",
            "KEY=VALUE\n",
            "export KEY=VALUE plum\n",
            "[a.KEY]\nx = \"VALUE\"\n",
            "\"KEY\": &anchor VALUE\n",
        ] {
            hides(&form.replace("KEY", key).replace("VALUE", CANARY), TextKind::Settings);
        }
    }
}

#[test]
fn arguments_and_addresses_are_hidden() {
    for text in [
        "args: [--password=VALUE]",
        "args: [\"--password\", \"VALUE\"]",
        "args: [--api-key, VALUE]",
        "args:\n  - --password\n  - VALUE\n",
        "args:\n  - '--token'\n  - 'VALUE'\n",
        "[\n  \"--token\",\n  \"VALUE\"\n]",
        "command: run --password VALUE --verbose",
        "url: https://h/?token=VALUE&x=y",
        "url: https://h/?x=y&api_key=VALUE",
        "url: https://ana:VALUE@h/x",
        "url: https://VALUE0123456789@h/x",
        "url: postgres://plum:plum@localhost/x",
    ] {
        let text = text.replace("VALUE", CANARY);
        let shown = mask_secrets(&text, TextKind::Settings);
        assert!(!shown.contains(CANARY) && !shown.contains(":plum@"), "{text} -> {shown}");
    }
}

#[test]
fn ordinary_settings_are_shown() {
    for text in [
        "max_tokens: 4096\n",
        "key_order: [model, api]\nkeyboard: dvorak1\n",
        "API_KEY: {env: NAME}\n",
        "API_KEY:\n  env: NAME\n  prefix: word\n",
        "API_KEY: ${NAME}\n",
        "TOKEN: $NAME\n",
        "apiKeyEnvVar: OPENAI_API_KEY_2\n",
        "public_key: ssh-ed25519 AAAAC3Nza1\n",
        "key: build\n",
        "password: ''\n",
        "token: null\n",
        "tokens: 12\n",
        "secret-keeper: {hidden: true}\nb: plain text\n",
        "secret-keeper:\n  hidden: plain\n",
        "rules:\n  secret/token: warning\n",
        "\"secret/token\" = \"warning\"\n",
        "# minds: allow secret/token: this is only an example\n",
        "password_file: /run/secret1\n",
        "command: run --max-tokens 100 --key-file x9\n",
        "url: ssh://git@github.com/a/b\n",
        "password:\nb: c\n",
    ] {
        shows(text, TextKind::Settings);
    }
    for text in [
        "The token: a thing that opens a door.",
        "`password` must be a string: it is a list",
        "token: expected a string, found a number",
        "use --token to pass one",
        "password: see chapter 2",
    ] {
        shows(text, TextKind::Prose);
        shows(text, TextKind::Message);
    }
    shows("see https://user:password@host", TextKind::Prose);
}

#[test]
fn front_matter_is_settings_and_the_body_is_prose() {
    hides("---\nname: x\npassword: plum\n---\n# Title\n", TextKind::Prose);
    shows("---\nname: x\n---\npassword: plum\n", TextKind::Prose);
    hides("Here is the password: hunter2plum.\n", TextKind::Prose);
    hides("cannot fetch `https://h/x?token=plum`", TextKind::Message);
    hides("fatal: unable to access 'https://ana:plum@localhost/x/'", TextKind::Message);
    hides("unknown key; `apiKey: hunter2plum`", TextKind::Message);
}

#[test]
fn text_is_scanned_to_its_end() {
    use proptest::prelude::*;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let piece = prop::sample::select(vec![
        "token", ": ", "=", "--", "\"", "'", "{", "[", "]", "}", "\n", "  ", "- ", "|", "://", "@", "ä", ",",
        "#", "\\", "a1", "---\n", "`",
    ]);
    let texts = prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat());
    let property = |text: String| {
        for reading in [TextKind::Settings, TextKind::Prose, TextKind::Message] {
            let ranges = crate::secrets::find_hidden_ranges(&text, reading);
            prop_assert!(ranges.windows(2).all(|pair| matches!(pair, [a, b] if a.end <= b.start)));
            prop_assert_eq!(mask_secrets(&text, reading).len(), text.len());
        }
        Ok(())
    };
    runner.run(&texts, property).unwrap();
}

/// The scan of text agrees with `redact_value`.
#[test]
fn a_value_next_to_the_name_of_a_secret_is_hidden() {
    for text in [
        "env:\n  - name: API_KEY\n    value: hunter2plum\n",
        "env:\n- name: API_KEY\n  value: hunter2plum\n",
        "env:\n  - value: hunter2plum\n    name: API_KEY\n",
        "env:\n  - value: 'hunter2plum'\n    # why\n    other: [1, {a: b}]\n    name: \"API_KEY\"\n",
        "env:\n  - key: DB_PASSWORD # there\n    kind: plain\n    value: |\n      hunter2plum\n",
        "env: [{name: API_KEY, value: hunter2plum}, {name: HOME, value: /root}]\n",
        "env: [{value: hunter2plum, name: API_KEY}]\n",
        "{\"env\": [\n  {\n    \"name\": \"API_KEY\",\n    \"value\": \"hunter2plum\"\n  }\n]}\n",
        "{\"env\": [{\"name\": \"API_KEY\", \"value\": \"hunter2plum\"}]}\n",
        "[[env]]\nname = \"API_KEY\"\nvalue = \"hunter2plum\"\n",
        "env = [{ name = \"API_KEY\", value = \"hunter2plum\" }]\n",
    ] {
        hides(text, TextKind::Settings);
    }
    for text in [
        "env:\n  - name: HOME\n    value: /root\n",
        "- name: API_KEY\n- value: shown\n",
        "name: API_KEY\ninner:\n  value: shown\n",
        "a:\n  name: API_KEY\nvalue: shown\n",
        "[{name: API_KEY}, {value: shown}]\n",
        "[[env]]\nname = \"API_KEY\"\n[[env]]\nvalue = \"shown\"\n",
        "- name: API_KEY\n  value: ${API_KEY}\n",
        "- name: API_KEY\n  value:\n- name: HOME\n  value: /root\n",
    ] {
        shows(text, TextKind::Settings);
    }
}

/// Each byte is examined a bounded number of times. Otherwise this test takes many minutes instead of seconds.
#[test]
fn large_files_are_scanned_in_linear_time() {
    const LENGTH: usize = 512 << 10;
    for (before, unit, after) in [
        ("", "token: a ", ""),
        ("", "token: a ", " "),
        (" ", "token=a ", ""),
        ("- ", "token: a ", ""),
        ("", "--token x ", ""),
        ("", "bearer/", ""),
        ("", "basic=", "/"),
        ("", "token: `", "x"),
        ("", "\":':", "x"),
        ("", "{token: ", ""),
        ("", "{value: a, name: token ", ""),
        ("", "- value: '\n  name: token\n", ""),
        ("", "eyJ-sk-ant-", "."),
        ("", "://a:b@", ""),
    ] {
        let fill =
            |part: &str, length: usize| part.repeat(length.checked_div(part.len()).unwrap_or_default());
        let text = [fill(before, LENGTH / 4), fill(unit, LENGTH / 2), fill(after, LENGTH / 4)].concat();
        for reading in [TextKind::Settings, TextKind::Prose, TextKind::Message] {
            assert_eq!(mask_secrets(&text, reading).len(), text.len(), "{unit}");
        }
    }
}
