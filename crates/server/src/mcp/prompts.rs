//! Prompts for common jobs.

use std::collections::BTreeMap;

use minds_toolset::Caller;

use crate::mcp::members;
use crate::mcp::resources::ResourceView;
use crate::mcp::server::Server;

/// A prompt with arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prompt {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) arguments: &'static [PromptArgument],
    body: Body,
}

/// The content of a prompt.
#[derive(Clone, Copy, Debug)]
enum Body {
    /// A template in which `{name}` is replaced by an argument.
    Template(&'static str),
    /// The minds files of the member in the argument, by default of the caller.
    Member,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PromptArgument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The default; `None` for a required argument.
    default: Option<&'static str>,
}

impl PromptArgument {
    pub(crate) fn is_required(&self) -> bool {
        self.default.is_none()
    }
}

const ALL: &[Prompt] = &[
    Prompt {
        name: "set-up-team",
        title: "Set up a team",
        description: "Write the files of a new team, and check them",
        arguments: &[
            PromptArgument { name: "purpose", description: "The purpose of the team", default: None },
            PromptArgument {
                name: "members",
                description: "The members, in a few words",
                default: Some("as few members as the purpose needs"),
            },
        ],
        body: Body::Template(
            "\
Set up the team of this workspace.

Purpose: {purpose}
Members: {members}

1. Call `team_mgmt_manual` with the topics `team` and `llm`, which describe the files.
2. List `.minds/` with `team_mgmt_list_dir`. If `.minds/team.yaml` exists, change it with a preview; do not replace it.
3. Write `.minds/team.yaml` with `team_mgmt_create_new_file`: a provider and a model in `member_defaults`, then each member with its toolsets and writable directories.
4. Give every member the narrowest sufficient access lists, and only one member the toolset `team-mgmt`.
5. Fix what the answers list in `new_problems`, until the team is valid.

Then report who is on the team and who may change what.",
        ),
    },
    Prompt {
        name: "add-member",
        title: "Add a member",
        description: "Add a member to the team, with minimal permissions",
        arguments: &[
            PromptArgument { name: "id", description: "The id of the new member, such as `reviewer`", default: None },
            PromptArgument { name: "role", description: "What the member does", default: None },
        ],
        body: Body::Template(
            "\
Add a member to the team of this workspace.

Id: {id}
Role: {role}

1. Call `team_mgmt_manual` with the topics `team`, `member-properties`.
2. Read `.minds/team.yaml` with `team_mgmt_read_file`, and check what it inherits from `member_defaults`.
3. Preview the new member with `team_mgmt_preview_insert_after`, check the diff, and apply it with `team_mgmt_apply_file_modification`.
4. Write `.minds/team/{id}/persona.md` if the role needs more than a sentence.
5. Fix what the answers list in `new_problems`.

A list of the member replaces the inherited list completely: repeat the denials that still apply.",
        ),
    },
    Prompt {
        name: "review-access",
        title: "Review access",
        description: "Find access that is wider than necessary",
        arguments: &[PromptArgument {
            name: "member",
            description: "The id of the member to review",
            default: Some("every member"),
        }],
        body: Body::Template(
            "\
Review the access of {member} in this workspace. Change nothing.

1. Read `.minds/team.yaml` with `team_mgmt_read_file`: a list of a member replaces the one in `member_defaults`.
2. Call `team_mgmt_validate`: findings under `access/` concern lists without the intended effect.
3. Call `team_mgmt_manual` with the topic `permissions` if an entry is unclear.

Report for each member what it may read and write, which toolsets let it change files, what is wider than its role needs, which inherited denial its own list drops, and who has `team-mgmt`. Suggest the smallest edits.",
        ),
    },
    Prompt {
        name: "repair-team",
        title: "Repair the files of the team",
        description: "Find and fix the errors in `.minds/`",
        arguments: &[],
        body: Body::Template(
            "\
The files of the team of this workspace have errors. Fix them.

1. Call `team_mgmt_validate`: each problem has a file, a place and a code.
2. Read the file with `team_mgmt_read_file` and `show_linenos`, and fix the first problem first: later ones may be its consequences.
3. Preview each edit, check its diff, and apply it. Do not rewrite a file that can be edited.
4. The answer to each change states whether the team is valid; continue until it is.

Ask before you change the permissions of a member because of a warning.",
        ),
    },
];

/// A prompt for every member about itself, and for managers of the team about every member.
static ACT_AS_MEMBER: Prompt = Prompt {
    name: "act-as-member",
    title: "Act as a member of the team",
    description: "The minds files of a member: persona, knowledge and lessons",
    arguments: &[PromptArgument {
        name: "member",
        description: "The id of the member; default: your own",
        default: Some(""),
    }],
    body: Body::Member,
};

/// Returns the prompts for the caller; most require the tools that manage a team.
pub(crate) fn list(server: &Server) -> Vec<&'static Prompt> {
    let manages = server.manages_team();
    let is_member = matches!(server.caller, Caller::Member { .. }) && server.admit().is_ok();
    let own = (manages || is_member).then_some(&ACT_AS_MEMBER);
    let managing = if manages { ALL } else { &[] };
    own.into_iter().chain(managing).collect()
}

/// Returns the text of a prompt with its arguments.
///
/// # Errors
///
/// Returns which argument is missing or unknown.
pub(crate) fn fill(
    server: &Server,
    prompt: &Prompt,
    given: &BTreeMap<String, String>,
) -> Result<String, String> {
    match prompt.body {
        Body::Template(text) => fill_template(prompt, text, given),
        Body::Member => {
            check_names(prompt, given)?;
            member(server, given.get("member").map_or("", |member| member.trim()))
        }
    }
}

/// Returns the prompt with the minds files of a member.
fn member(server: &Server, id: &str) -> Result<String, String> {
    let id = match (&server.caller, id) {
        (Caller::Member { id }, "") => id.as_str(),
        (Caller::Operator { .. }, "") => {
            return Err(format!("the prompt `{}` needs `member`", ACT_AS_MEMBER.name));
        }
        (_, id) => id,
    };
    let snapshot = server.snapshot();
    let view = ResourceView::of(server, &snapshot);
    if !view.has_member(id) {
        return Err(format!("member `{}` does not exist, or its files are not for you", id.escape_debug()));
    }
    let texts = view.member_files(id);
    if texts.is_empty() {
        return Ok(format!("You act as member `{id}` of the team, which has no minds files.\n"));
    }
    let composed = members::compose(&texts, members::PROMPT_BUDGET, &members::address(id));
    Ok(format!("You act as member `{id}` of the team. These are your minds files.\n\n{}", composed.text))
}

fn check_names(prompt: &Prompt, given: &BTreeMap<String, String>) -> Result<(), String> {
    match given.keys().find(|name| prompt.arguments.iter().all(|known| known.name != **name)) {
        Some(name) => Err(format!("the prompt `{}` has no argument `{name}`", prompt.name)),
        None => Ok(()),
    }
}

fn fill_template(prompt: &Prompt, text: &str, given: &BTreeMap<String, String>) -> Result<String, String> {
    check_names(prompt, given)?;
    let value = |argument: &PromptArgument| {
        let given = given.get(argument.name).map(|value| value.trim()).filter(|value| !value.is_empty());
        given
            .or(argument.default)
            .ok_or_else(|| format!("the prompt `{}` needs `{}`", prompt.name, argument.name))
    };
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    // Values of arguments are not expanded again.
    while let Some((before, rest_of_text)) = rest.split_once('{') {
        let (name, after) = rest_of_text.split_once('}').unwrap_or((rest_of_text, ""));
        filled.push_str(before);
        if let Some(argument) = prompt.arguments.iter().find(|argument| argument.name == name) {
            filled.push_str(value(argument)?);
        }
        rest = after;
    }
    filled.push_str(rest);
    for argument in prompt.arguments {
        value(argument)?;
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(values: &[(&str, &str)]) -> BTreeMap<String, String> {
        values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn prompt(name: &str) -> &'static Prompt {
        ALL.iter().find(|prompt| prompt.name == name).unwrap()
    }

    fn template(prompt: &Prompt) -> &'static str {
        match prompt.body {
            Body::Template(text) => text,
            Body::Member => panic!("{} has no template", prompt.name),
        }
    }

    fn fill(prompt: &Prompt, given: &BTreeMap<String, String>) -> Result<String, String> {
        fill_template(prompt, template(prompt), given)
    }

    #[test]
    fn every_place_is_an_argument_and_every_argument_has_a_place() {
        for prompt in ALL {
            let places: Vec<&str> = template(prompt)
                .split('{')
                .skip(1)
                .filter_map(|part| Some(part.split_once('}')?.0))
                .collect();
            for place in &places {
                assert!(
                    prompt.arguments.iter().any(|known| known.name == *place),
                    "{}: {place}",
                    prompt.name
                );
            }
            for argument in prompt.arguments {
                assert!(places.contains(&argument.name), "{}: {}", prompt.name, argument.name);
            }
        }
    }

    #[test]
    fn values_are_not_expanded_again() {
        let text = fill(prompt("add-member"), &arguments(&[("id", "{role}"), ("role", "reviews")])).unwrap();
        assert!(text.contains("Id: {role}\nRole: reviews\n"), "{text}");
        assert!(text.contains(".minds/team/{role}/persona.md"));
        let text = fill(prompt("review-access"), &arguments(&[])).unwrap();
        assert!(text.starts_with("Review the access of every member in"), "{text}");
    }

    #[test]
    fn missing_and_unknown_arguments_are_reported() {
        let refused =
            |name: &str, values: &[(&str, &str)]| fill(prompt(name), &arguments(values)).unwrap_err();
        assert_eq!(refused("add-member", &[("id", "x")]), "the prompt `add-member` needs `role`");
        assert_eq!(
            refused("add-member", &[("id", " "), ("role", "x")]),
            "the prompt `add-member` needs `id`"
        );
        assert_eq!(refused("repair-team", &[("x", "y")]), "the prompt `repair-team` has no argument `x`");
    }
}
