//! Reading the manual.

use serde_json::Value;

use super::TEAM_MGMT;
use crate::answer::{Fields, Refusal, Success};
use crate::arguments::{Argument, Kind};
use crate::call::Call;
use crate::manual::{Language, Manual, Topic, UnknownTopic, find};
use crate::tool::{Annotations, OutputField, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_MANUAL: Tool = Tool {
    name: "team_mgmt_manual",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Read how to manage the team. Without topics it returns an index. One call takes \
         several topics: bootstrap, team, llm, mcp, minds, permissions, toolsets, fields (all fields and \
         tools, short), files, findings, settings, tasks, troubleshooting.",
    arguments: &[
        Argument::optional(
            "topics",
            Kind::StringList,
            "also subtopics: member-properties, builtin-defaults, model-params, a toolset; `[\"mcp\", \"troubleshooting\"]`",
        ),
        Argument::optional("lang", Kind::OneOf(Language::CODES), "default `en`"),
    ],
    output: &[
        OutputField { name: "topics", kind: "array" },
        OutputField { name: "lang", kind: "string" },
        OutputField { name: "content", kind: "string" },
    ],
    annotations: Annotations::READS,
    run,
};

fn run(call: &Call<'_>) -> Result<Success, Refusal> {
    let language = call.arguments.word("lang").and_then(Language::parse).unwrap_or_default();
    let found = find(call.arguments.string_list("topics")).map_err(|unknown| refusal(&unknown))?;
    let content = Manual::of(call.context).answer(&found, language);
    let path = |topic: &Topic| Value::from(topic.path().to_vec());
    let others = Some(&found.additional).filter(|others| !others.is_empty());
    let fields = Fields::new()
        .with("topics", path(&found.topic))
        .with("title", found.topic.title(language))
        .with("lang", language.as_str())
        .with_some("other_topics", others.map(|others| others.iter().map(path).collect::<Value>()))
        .with("content", content);
    Ok(Tool::done(format!("the manual page {}", found.topic.path().join(", ")), fields))
}

fn refusal(unknown: &UnknownTopic) -> Refusal {
    let details = Fields::new().with("nearest", unknown.nearest().to_vec());
    Refusal::new(Code::UnknownTopic, unknown.to_string())
        .next("`{\"topics\": [\"topics\"]}` lists all topics")
        .details(details)
}
