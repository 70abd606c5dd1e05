//! Reading the manual.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TEAM_MGMT;
use crate::answer::{Fields, Refusal};
use crate::call::Call;
use crate::input::{Choice, TextList};
use crate::manual::{Language, UnknownTopic, manual, pages};
use crate::tool::{Annotations, Body, Function, Outcome, Tool};
use crate::{Area, Code};

pub(super) static TEAM_MGMT_MANUAL: Tool = Tool {
    name: "team_mgmt_manual",
    toolsets: TEAM_MGMT,
    area: Area::Minds,
    description: "Read how to manage the team. Without topics it returns an index. One call takes \
         several topics: bootstrap, team, llm, mcp, minds, permissions, toolsets, fields (all fields and \
         tools, short), files, findings, settings, tasks, troubleshooting.",
    annotations: Annotations::READS,
    body: Body::of::<Read>(),
};

struct Read;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// also subtopics: member-properties, builtin-defaults, model-params, a toolset; `["mcp", "troubleshooting"]`
    #[serde(default)]
    topics: TextList,
    /// default `en`
    #[serde(default)]
    lang: Choice<Language>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    topics: Vec<&'static str>,
    title: String,
    lang: Language,
    /// The other pages of the answer, if there are any.
    other_topics: Option<Vec<Vec<&'static str>>>,
    content: String,
}

impl Function for Read {
    type Arguments = Arguments;
    type Output = Output;

    fn run(call: &Call<'_>, arguments: Arguments) -> Result<Outcome<Output>, Refusal> {
        let language = arguments.lang.0.unwrap_or_default();
        let asked = arguments.topics.0.iter().map(String::as_str);
        let found = pages().find(asked).map_err(|unknown| refusal(&unknown))?;
        let content = manual(call.context).answer(&found, language);
        let other_topics: Vec<_> = found.additional.iter().map(|topic| topic.path().to_vec()).collect();
        let output = Output {
            topics: found.topic.path().to_vec(),
            title: found.topic.title(language).into_owned(),
            lang: language,
            other_topics: Some(other_topics).filter(|topics| !topics.is_empty()),
            content,
        };
        Ok(Outcome::new(format!("the manual page {}", found.topic.path().join(", ")), output))
    }
}

fn refusal(unknown: &UnknownTopic) -> Refusal {
    let details = Fields::new().with("nearest", unknown.nearest().to_vec());
    Refusal::new(Code::UnknownTopic, unknown.to_string())
        .next("`{\"topics\": [\"topics\"]}` lists all topics")
        .details(details)
}
