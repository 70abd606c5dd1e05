//! The rows of variables of programs and headers of requests.

use minds_render::clients::Field;
use serde_json::json;

use super::rows::{Is, Row, row};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    use Is::{At, Out, OutAt};
    let at = |pointer, value: &str| At(pointer, json!(value));
    let list = |pointer, value: &str| At(pointer, json!([value]));
    vec![
        row(
            Field::Env,
            "env: {MODE: test}",
            "",
            [
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
                at("/environment/MODE", "test"),
                at("/env/MODE", "test"),
                at("/env/MODE", "test"),
            ],
        ),
        row(
            Field::Env,
            "env: {KEY: {env: KEY}}",
            "/env/KEY",
            [
                at("/env/KEY", "${KEY}"),
                list("/env_vars", "KEY"),
                at("/env/KEY", "${KEY}"),
                at("/env/KEY", "${env:KEY}"),
                at("/env/KEY", "${env:KEY}"),
                at("/environment/KEY", "{env:KEY}"),
                at("/env/KEY", "${KEY}"),
                Out,
            ],
        ),
        row(
            Field::Env,
            "env: {KEY: {env: OTHER}}",
            "/env/KEY",
            [
                at("/env/KEY", "${OTHER}"),
                Out,
                at("/env/KEY", "${OTHER}"),
                at("/env/KEY", "${env:OTHER}"),
                at("/env/KEY", "${env:OTHER}"),
                at("/environment/KEY", "{env:OTHER}"),
                at("/env/KEY", "${OTHER}"),
                Out,
            ],
        ),
        row(
            Field::Env,
            "env: {'{env:X}': test}",
            "/env/{env:X}",
            [
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
                Out,
                at("/env/{env:X}", "test"),
                at("/env/{env:X}", "test"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-team: a}",
            "",
            [
                at("/headers/x-team", "a"),
                at("/http_headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
                at("/headers/x-team", "a"),
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY}}",
            "/headers/x-key",
            [
                at("/headers/x-key", "${KEY}"),
                at("/env_http_headers/x-key", "KEY"),
                at("/headers/x-key", "${KEY}"),
                at("/headers/x-key", "${env:KEY}"),
                at("/headers/x-key", "${env:KEY}"),
                at("/headers/x-key", "{env:KEY}"),
                at("/headers/x-key", "${KEY}"),
                Out,
            ],
        ),
        row(
            Field::Headers,
            "headers: {Authorization: {env: KEY, prefix: 'Bearer '}}",
            "/headers/Authorization",
            [
                at("/headers/Authorization", "Bearer ${KEY}"),
                at("/bearer_token_env_var", "KEY"),
                at("/headers/Authorization", "Bearer ${KEY}"),
                at("/headers/Authorization", "Bearer ${env:KEY}"),
                at("/headers/Authorization", "Bearer ${env:KEY}"),
                at("/headers/Authorization", "Bearer {env:KEY}"),
                at("/headers/Authorization", "Bearer ${KEY}"),
                Out,
            ],
        ),
        row(
            Field::Headers,
            "headers: {Authorization: {env: KEY}}",
            "/headers/Authorization",
            [
                at("/headers/Authorization", "${KEY}"),
                at("/env_http_headers/Authorization", "KEY"),
                at("/headers/Authorization", "${KEY}"),
                at("/headers/Authorization", "${env:KEY}"),
                at("/headers/Authorization", "${env:KEY}"),
                at("/headers/Authorization", "{env:KEY}"),
                at("/headers/Authorization", "${KEY}"),
                Out,
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY, prefix: '$'}}",
            "/headers/x-key",
            [
                at("/headers/x-key", "$${KEY}"),
                Out,
                Out,
                at("/headers/x-key", "$${env:KEY}"),
                at("/headers/x-key", "$${env:KEY}"),
                at("/headers/x-key", "${env:KEY}"),
                Out,
                Out,
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY, prefix: 'Token '}}",
            "/headers/x-key",
            [
                at("/headers/x-key", "Token ${KEY}"),
                Out,
                at("/headers/x-key", "Token ${KEY}"),
                at("/headers/x-key", "Token ${env:KEY}"),
                at("/headers/x-key", "Token ${env:KEY}"),
                at("/headers/x-key", "Token {env:KEY}"),
                at("/headers/x-key", "Token ${KEY}"),
                Out,
            ],
        ),
        row(
            Field::Headers,
            "headers: {x-key: {env: KEY, prefix: '{file:a}'}}",
            "/headers/x-key",
            [
                at("/headers/x-key", "{file:a}${KEY}"),
                Out,
                at("/headers/x-key", "{file:a}${KEY}"),
                at("/headers/x-key", "{file:a}${env:KEY}"),
                at("/headers/x-key", "{file:a}${env:KEY}"),
                at("/headers/x-key", "{file:a}{env:KEY}"),
                at("/headers/x-key", "{file:a}${KEY}"),
                Out,
            ],
        ),
        row(
            Field::Headers,
            "headers: {authorization: {env: A, prefix: 'Bearer '}, Authorization: {env: B, prefix: 'Bearer '}}",
            "/headers/Authorization",
            [
                at("/headers/Authorization", "Bearer ${B}"),
                Out,
                at("/headers/Authorization", "Bearer ${B}"),
                at("/headers/Authorization", "Bearer ${env:B}"),
                at("/headers/Authorization", "Bearer ${env:B}"),
                at("/headers/Authorization", "Bearer {env:B}"),
                at("/headers/Authorization", "Bearer ${B}"),
                OutAt("/headers/authorization"),
            ],
        ),
    ]
}
