//! Decodes project files.

use minds_document::{Context, Decode, Entry, Field, Node, Spanned, Value, decode_list};

use super::model::{
    Agent, AgentFields, AgentInterfaces, Agents, Channel, Members, Project, ProjectHead, RolePrompt,
    SpeechToText, Telegram,
};
use crate::decode::{decode_raw_keyword, decode_version};
use crate::field_decoders::{
    decode_nullable, decode_strings, decode_unambiguous_string, decode_unless_empty, is_empty,
    reject_bare_tag,
};
use crate::raw_scalar::RawScalar;

impl Decode for Project {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let (version, head) = (decode_version(&mut fields), fields.require("project"));
        let mut channels = decode_unless_empty(&mut fields, "channels", |node, cx| {
            decode_list(node, cx, "a list of channels", Channel::decode)
        });
        let mut agents = |key| {
            let mut agents = Vec::new();
            let field = decode_unless_empty(&mut fields, key, |node, cx| {
                agents = decode_agents(node, cx)?;
                Some(())
            });
            Agents { agents, field }
        };
        let (mut managers, mut workers) = (agents("managers"), agents("workers"));
        let misspelled = fields.finish();
        misspelled.mark_unreadable("channels", &mut channels);
        misspelled.mark_unreadable("managers", &mut managers.field);
        misspelled.mark_unreadable("workers", &mut workers.field);
        Some(Self { version, head, channels, managers, workers })
    }
}

impl Decode for ProjectHead {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let head =
            Self { id: fields.require("id"), name: fields.require("name"), cwd: fields.require("cwd") };
        let _ = fields.finish();
        Some(head)
    }
}

impl Decode for Channel {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut channel = Self { name: fields.require("name"), members: fields.read("members") };
        fields.finish().mark_unreadable("members", &mut channel.members);
        Some(channel)
    }
}

impl Decode for Members {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let node = reject_bare_tag(node, cx)?;
        match node.value() {
            Value::String("*") => Some(Self::Everyone),
            Value::String(name) => {
                cx.value_error(node, "`\"*\"` or a list of ids", |found| {
                    let found = found.primary(node.label().message("neither `\"*\"` nor a list"));
                    if name.trim().is_empty() {
                        return found;
                    }
                    let source = node.document().source();
                    let listed = format!("[{}]", source.slice(node.span()));
                    found.help(format!("write `{listed}` for this agent, or `\"*\"` for all agents"))
                });
                None
            }
            _ => {
                decode_list(node, cx, "`\"*\"` or a list of ids", decode_unambiguous_string).map(Self::Listed)
            }
        }
    }
}

fn decode_agents(node: Node<'_>, cx: &mut Context) -> Option<Vec<Agent>> {
    if node.value() != Value::Mapping {
        cx.type_error(node, "a mapping from ids to agents");
        return None;
    }
    let mut agents = Vec::with_capacity(node.entries().count());
    for entry in node.entries() {
        if !cx.is_merge_key(&entry) {
            agents.push(decode_agent(&entry, cx));
        }
    }
    Some(agents)
}

fn decode_agent(entry: &Entry<'_>, cx: &mut Context) -> Agent {
    let node = entry.value;
    let fields = match node.value() {
        Value::Null if is_empty(node) => Some(Box::default()),
        Value::Mapping => AgentFields::decode(node, cx).map(Box::new),
        _ => {
            cx.type_error_with(node, "a mapping of fields", |found| {
                found.secondary(entry.key_node.label().message("this key is read as the id of an agent"))
            });
            None
        }
    };
    let fields = match fields {
        Some(fields) => Field::Given(Spanned::new(fields, node)),
        None => Field::Unreadable(Spanned::new((), node)),
    };
    Agent { id: Spanned::new(entry.key.to_owned(), entry.key_node), fields }
}

impl Decode for AgentFields {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut agent = Self {
            runtime: fields.read("runtime"),
            model: decode_nullable(&mut fields, "model", RawScalar::decode),
            role_prompt: decode_nullable(&mut fields, "role_prompt", RolePrompt::decode),
            permission_mode: decode_nullable(&mut fields, "permission_mode", RawScalar::decode),
            autonomy: fields.read("autonomy"),
            can_dm: decode_unless_empty(&mut fields, "can_dm", decode_strings),
            can_broadcast: decode_unless_empty(&mut fields, "can_broadcast", decode_strings),
            reports_to: decode_nullable(&mut fields, "reports_to", RawScalar::decode),
            on_rate_limit: decode_nullable(&mut fields, "on_rate_limit", decode_strings),
            effort: decode_nullable(&mut fields, "effort", |node, cx| {
                decode_raw_keyword(reject_bare_tag(node, cx)?, &Self::EFFORTS, cx)
            }),
            interfaces: decode_nullable(&mut fields, "interfaces", AgentInterfaces::decode),
            display_name: decode_nullable(&mut fields, "display_name", RawScalar::decode),
        };
        let misspelled = fields.finish();
        misspelled.mark_unreadable("runtime", &mut agent.runtime);
        misspelled.mark_unreadable("role_prompt", &mut agent.role_prompt);
        misspelled.mark_unreadable("can_dm", &mut agent.can_dm);
        misspelled.mark_unreadable("reports_to", &mut agent.reports_to);
        Some(agent)
    }
}

impl Decode for RolePrompt {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let node = reject_bare_tag(node, cx)?;
        match node.value() {
            Value::String(_) => {
                decode_unambiguous_string(node, cx).map(|path| Self::File(Spanned::new(path, node)))
            }
            Value::Sequence => {
                decode_list(node, cx, "a path or a list of paths", decode_unambiguous_string).map(Self::Files)
            }
            _ => {
                cx.type_error(node, "a path or a list of paths");
                None
            }
        }
    }
}

impl Decode for AgentInterfaces {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let interfaces = Self { telegram: decode_nullable(&mut fields, "telegram", Telegram::decode) };
        let _ = fields.finish();
        Some(interfaces)
    }
}

impl Decode for Telegram {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let telegram = Self {
            bot_token_env: fields.require("bot_token_env"),
            chat_ids_env: fields.require("chat_ids_env"),
            speech_to_text: decode_nullable(&mut fields, "speech_to_text", SpeechToText::decode),
        };
        let _ = fields.finish();
        Some(telegram)
    }
}

impl Decode for SpeechToText {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let speech = Self {
            provider: fields.require("provider"),
            api_key_env: fields.require("api_key_env"),
            model: fields.require("model"),
            language: decode_nullable(&mut fields, "language", RawScalar::decode),
        };
        let _ = fields.finish();
        Some(speech)
    }
}
