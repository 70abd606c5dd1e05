//! Tables are made from what runs, and from the files of the workspace.

use minds_core::catalog::{PROVIDERS, TOOLSETS};
use minds_toolset::manual::Language;
use minds_toolset::{Code, Toolbox};

use crate::manual::{Folder, LANGUAGES, page};

#[test]
fn fields_have_types_and_defaults() {
    let page = page(&["team", "member-properties"], Language::English);
    for row in [
        "| `name` | string | – | The display name; the id by default. |",
        "| `streaming` | boolean | – | Whether answers are streamed. |",
        "| `hidden` | boolean | `false` | Whether the member is omitted from the team directory. |",
        "| `fbr-effort` | integer from 0 to 100 | `3` | The effort for fresh-eyes reasoning, from 0 to 100. |",
        "| `toolsets` | list of strings | – | Toolsets: a name, `*` for all, `!name` to exclude one. |",
        "| `read_dirs` | list of strings | – | The only directories that may be read. |",
        "| `gofor` | string or list or mapping | – | The requests that should be routed to the member. |",
        "| `model_params` | mapping | – | Parameters of the model. |",
        "| `diligence-push-max` | number | – | The maximum number of times that the member is prompted to continue. |",
    ] {
        assert!(page.contains(&format!("\n{row}\n")), "{row}\n{page}");
    }
    let place = |name: &str| page.find(&format!("\n| `{name}` |")).unwrap();
    assert!(
        place("name") < place("provider") && place("provider") < place("hidden"),
        "the order of the format"
    );
}

#[test]
fn tables_describe_all_kinds_of_fields() {
    let check = |path: &[&str], row: &str| {
        let page = page(path, Language::English);
        assert!(page.contains(&format!("\n{row}\n")), "{row}\n{page}");
    };
    check(&["llm"], "| `baseUrl` | string | required | The base URL of requests. |");
    check(&["llm"], "| `models` | mapping or list of strings | required | The models by key. |");
    check(
        &["llm"],
        "| `context_length` | integer, 1 or more | – | The total length of input and output, in tokens. |",
    );
    check(&["mcp"], "| `command` | string | required with `stdio` | The program, for `stdio`. |");
    let keyed = "`anthropic`, `anthropic-compatible`, `openai`, `openai-compatible`, `google`";
    let about = "The environment variable with the API key; never the key itself.";
    check(&["llm"], &format!("| `apiKeyEnvVar` | string | required with {keyed} | {about} |"));
    check(&["mcp"], "| `transport` | `stdio`, `streamable_http` | required | The transport of the server. |");
    check(&["mcp"], "| `enabled` | boolean | `true` | Whether the server is enabled. |");
    check(
        &["settings"],
        "| `task_home` | string | `\"tasks\"` | The directory for task packages, relative to the workspace. |",
    );
    check(
        &["tasks"],
        "| `goals.md` | The objectives, and how to recognize that they are reached. | always |",
    );
    check(&["tasks"], "| `bearinmind/risks.md` | Risks. | if it exists |");
    check(&["tasks"], "| `change_mind` | Replace one whole section of the task |");
    check(
        &["settings"],
        "| `check.strict` | boolean | `false` | Whether warnings make `minds check` fail, as with `--strict`. |",
    );
    check(
        &["llm", "model-params"],
        "| `web_search` | `codex` | `disabled`, `cached`, `live` | Whether and where the model searches the web. |",
    );
    check(
        &["llm", "model-params"],
        "| `top_k` | `anthropic`, `anthropic-compatible` | number | The number of candidates for top-k sampling. |",
    );
}

#[test]
fn every_shipped_provider_and_model_is_listed() {
    for language in LANGUAGES {
        let page = page(&["llm", "builtin-defaults"], language);
        let (here, shipped) = page.split_at(page.rfind("\n## ").unwrap());
        for provider in PROVIDERS {
            let row = |text: &str| {
                text.lines()
                    .find(|line| line.starts_with(&format!("| `{}` |", provider.key)))
                    .unwrap_or_default()
                    .to_owned()
            };
            let (here, shipped) = (row(here), row(shipped));
            assert!(here.contains(language_word(language, "built in", "内置")), "{}: {here}", provider.key);
            assert!(here.contains(provider.api_key_env_var) && here.contains(provider.api_type), "{here}");
            assert!(shipped.contains(provider.base_url) && shipped.contains(provider.name), "{shipped}");
            for model in provider.models {
                assert!(here.contains(&format!("`{}`", model.key)), "{}: {here}", model.key);
                let lengths = model.context_length.map_or("?".to_owned(), |length| length.to_string());
                assert!(shipped.contains(&format!("`{}` {lengths}/", model.key)), "{}: {shipped}", model.key);
            }
        }
    }
}

fn language_word<'w>(language: Language, english: &'w str, chinese: &'w str) -> &'w str {
    if language == Language::English { english } else { chinese }
}

const LLM: &str = "\
providers:
  fixture:
    apiType: openai-compatible
    baseUrl: https://models.example.org/v1
    apiKeyEnvVar: HOUSE_API_KEY
    model_param_options:
      general:
        max_tokens: {type: integer, description: 'at most | 4096', min: 1}
    models:
      large: {context_length: 32000}
      small: {}
  codex:
    apiType: codex
    baseUrl: https://codex.example.org
    models: {mine: {}}
  odd: 7
";

#[test]
fn providers_of_the_workspace_are_listed_with_their_origin() {
    let folder = Folder::new(&[(".minds/llm.yaml", LLM)]);
    let page = folder.page(&["llm", "builtin-defaults"], Language::English);
    let (here, shipped) = page.split_at(page.rfind("\n## ").unwrap());
    for row in [
        "| `fixture` | added in `.minds/llm.yaml` | openai-compatible | `HOUSE_API_KEY` | `large`, `small` |",
        "| `codex` | replaced in `.minds/llm.yaml` | codex | – | `mine` |",
        "| `odd` | added in `.minds/llm.yaml` | cannot be read | cannot be read | cannot be read |",
    ] {
        assert!(here.contains(&format!("\n{row}\n")), "{row}\n{here}");
    }
    assert!(here.contains("| `openai` | built in | openai |") && here.matches("| `codex` |").count() == 1);
    assert!(shipped.contains("| `codex` | Codex") && !shipped.contains("fixture"), "{shipped}");
    let chinese = folder.page(&["llm", "builtin-defaults"], Language::Chinese);
    assert!(
        chinese.contains("| `fixture` | 在 `.minds/llm.yaml` 中添加 | openai-compatible | `HOUSE_API_KEY` |")
    );
    let params = folder.page(&["llm", "model-params"], Language::English);
    assert!(
        params.contains("\n| `fixture` | `general.max_tokens` | integer | at most \\| 4096 |\n"),
        "{params}"
    );
}

#[test]
fn an_unreadable_file_is_reported() {
    for text in ["providers: [\n", "7\n", "providers:\n\tx: 1\n"] {
        let folder = Folder::new(&[(".minds/llm.yaml", text)]);
        let page = folder.page(&["llm", "builtin-defaults"], Language::English);
        assert!(
            page.contains("Parts of `.minds/llm.yaml` cannot be read")
                && page.contains("| `codex` | built in |"),
            "{text:?}\n{page}"
        );
    }
    let whole = page(&["llm", "builtin-defaults"], Language::English);
    assert!(!whole.contains("cannot be read"));
}

#[test]
fn pages_are_bounded_for_every_workspace() {
    let mut llm = "providers:\n".to_owned();
    let mut mcp = "version: 1\nservers:\n".to_owned();
    for number in 0..100 {
        let name = format!("{number}{}", "n".repeat(200));
        llm += &format!("  {name}:\n    apiType: openai\n    baseUrl: https://e.org\n    apiKeyEnvVar: K\n");
        llm += &format!(
            "    model_param_options: {{{name}: {{{name}: {{type: string, description: {name}{name}}}}}}}\n"
        );
        llm += &format!(
            "    models: {{{}}}\n",
            (0..40).map(|model| format!("m{model}{name}: {{}}")).collect::<Vec<_>>().join(", ")
        );
        mcp += &format!("  {name}: {{transport: stdio, command: x}}\n");
    }
    let folder = Folder::new(&[(".minds/llm.yaml", &llm), (".minds/mcp.yaml", &mcp)]);
    for language in LANGUAGES {
        for path in [&["llm", "builtin-defaults"][..], &["llm", "model-params"], &["toolsets"]] {
            let page = folder.page(path, language);
            assert!(page.len() <= 24 * 1024, "{path:?} has {} bytes", page.len());
        }
    }
    let page = folder.page(&["llm", "builtin-defaults"], Language::English);
    assert!(
        page.contains("more providers of `.minds/llm.yaml` are not shown.") && page.contains("(+16)"),
        "{page}"
    );
    assert!(page.contains("| `openai` | built in |"));
    assert!(folder.page(&["toolsets"], Language::English).contains("(+50)"));
}

#[test]
fn no_page_shows_a_secret_or_breaks_a_table() {
    let key = ["sk-", "ant-api03-", &"Ab1".repeat(32), "AA"].concat();
    let llm = format!(
        "providers:\n  \"{key}\":\n    apiType: openai\n    baseUrl: https://e.org\n    apiKeyEnvVar: K\n    model_param_options:\n      general:\n        x: {{type: string, description: {key}}}\n    models: {{\"{key}\": {{}}, \"a|b`c\\nd\": {{}}}}\n"
    );
    let mcp = format!("version: 1\nservers: {{\"{key}\": {{transport: stdio, command: x}}}}\n");
    let folder = Folder::new(&[(".minds/llm.yaml", &llm), (".minds/mcp.yaml", &mcp)]);
    for path in [&["llm", "builtin-defaults"][..], &["llm", "model-params"], &["toolsets"]] {
        let page = folder.page(path, Language::English);
        assert!(!page.contains(key.get(..40).unwrap()) && page.contains("***"), "{page}");
    }
    let page = folder.page(&["llm", "builtin-defaults"], Language::English);
    assert!(page.contains("`a\\|b'c\\nd` |\n"), "{page}");
}

#[test]
fn every_toolset_has_a_page_with_its_tools() {
    let tools = Toolbox::new();
    for language in LANGUAGES {
        let all = page(&["toolsets"], language);
        for toolset in TOOLSETS {
            let own = page(&["toolsets", toolset.name], language);
            assert!(own.lines().next().unwrap().ends_with(&format!(" `{}`", toolset.name)), "{own}");
            let row = all.lines().find(|line| line.starts_with(&format!("| `{}`", toolset.name))).unwrap();
            for tool in toolset.tools {
                assert!(own.contains(&format!("`{tool}`")) && row.contains(&format!("`{tool}`")), "{tool}");
            }
            for tool in tools.toolset(toolset.name) {
                let purpose = own.lines().find(|line| line.starts_with(&format!("| `{}` | ", tool.name)));
                let words = purpose.unwrap_or_else(|| panic!("{} has no purpose", tool.name));
                assert!(words.len() > tool.name.len() + 20, "{words}");
                assert!(row.contains(&format!("`{}`", tool.name)));
            }
        }
    }
    let own = page(&["toolsets", "control"], Language::English);
    assert!(own.contains("granting it is an error") && !own.contains("yaml fragment"));
    assert!(page(&["toolsets", "os"], Language::English).contains("must be in `shell_specialists`"));
    assert!(page(&["toolsets", "ws_mod"], Language::English).contains("`no_write_dirs`"));
    let all = page(&["toolsets"], Language::English);
    assert!(
        all.contains("| `control` | by the runtime only | no |") && all.contains("| `os` | by name | yes |")
    );
    assert!(
        all.contains("| `fs_read` | by name | no |")
            && all.contains("| `team-mgmt`, `team_mgmt` | by name | yes |")
    );
}

#[test]
fn servers_of_the_workspace_are_listed_as_toolsets() {
    let mcp = "version: 1\nservers:\n  browser: {transport: stdio, command: x}\n  notes: {transport: stdio, command: y}\n";
    let folder = Folder::new(&[(".minds/mcp.yaml", mcp)]);
    let shown = folder.page(&["toolsets"], Language::English);
    assert!(shown.contains("each a toolset: `browser`, `notes`."), "{shown}");
    assert!(page(&["toolsets"], Language::English).contains("declares no server"));
    let broken = Folder::new(&[(".minds/mcp.yaml", "servers: [\n")]).page(&["toolsets"], Language::English);
    assert!(broken.contains("none is readable"), "{broken}");
}

#[test]
fn findings_codes_and_shadow_members_match_the_code() {
    for language in LANGUAGES {
        let findings = page(&["findings"], language);
        for rule in minds_workspace::rules().into_iter().filter(|rule| rule.area() != "import") {
            let row =
                format!("\n| `{}` | {} | {} |\n", rule.code, rule.default_severity, rule.full_summary());
            assert!(findings.contains(&row), "{row}");
        }
        let files = page(&["files"], language);
        for code in Code::all() {
            assert!(
                files.contains(&format!("\n| `{code}` | {} |\n", code.description()))
                    && code.description().ends_with('.'),
                "{code}"
            );
        }
        let bootstrap = page(&["bootstrap"], language);
        assert!(bootstrap.contains("| `fuxi` | 伏羲(Fuxi) | `team-mgmt` | – |"), "{bootstrap}");
        assert!(
            bootstrap.contains("| `pangu` | 盘古(Pangu) | `*`, `!team-mgmt` | `.minds/**` |"),
            "{bootstrap}"
        );
    }
}
