//! Decodes the fields of a member and of `member_defaults`.

use minds_document::{Context, Decode, Fields, Node, Value};

use super::access::{access_lists, mark_misspelled};
use super::model_params;
use crate::model::{MemberFields, RareFields};
use crate::params::SECTIONS;

/// The keys of a member, for hints about keys at the wrong level.
pub(crate) const FIELDS: &[&str] = &[
    "name",
    "icon",
    "gofor",
    "nogo",
    "provider",
    "model",
    "model_params",
    "toolsets",
    "tools",
    "diligence-push-max",
    "diligence_push_max",
    "read_dirs",
    "write_dirs",
    "no_read_dirs",
    "no_write_dirs",
    "read_file_ext_names",
    "write_file_ext_names",
    "no_read_file_ext_names",
    "no_write_file_ext_names",
    "streaming",
    "hidden",
    "fbr-effort",
    "fbr_effort",
    "fbr_model_params",
    "from",
    "use",
    "import",
];

impl Decode for MemberFields {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        let mut fields = cx.fields(node)?;
        let mut member = Self {
            name: fields.read("name"),
            icon: fields.read("icon"),
            gofor: fields.read("gofor"),
            provider: fields.read("provider"),
            model: fields.read("model"),
            toolsets: fields.read("toolsets"),
            tools: fields.read("tools"),
            access: access_lists(&mut fields),
            streaming: fields.read("streaming"),
            hidden: fields.read("hidden"),
            rare: decode_rare_fields(&mut fields),
        };
        let meant = fields.finish_with(|entry| model_params::hint(entry.key, SECTIONS, "model_params."));
        meant.mark_unreadable("provider", &mut member.provider);
        meant.mark_unreadable("model", &mut member.model);
        meant.mark_unreadable("toolsets", &mut member.toolsets);
        meant.mark_unreadable("tools", &mut member.tools);
        meant.mark_unreadable("streaming", &mut member.streaming);
        meant.mark_unreadable("hidden", &mut member.hidden);
        mark_misspelled(&mut member.access, &meant);
        Some(member)
    }
}

/// Decodes rarely used fields. They are boxed to keep most members small.
fn decode_rare_fields(fields: &mut Fields<'_, '_>) -> Option<Box<RareFields>> {
    let rare = RareFields {
        nogo: fields.read("nogo"),
        model_params: fields.read("model_params"),
        diligence_push_max: fields.read_either("diligence-push-max", "diligence_push_max"),
        fbr_effort: fields.read_either::<Effort>("fbr-effort", "fbr_effort").map(|effort| effort.0),
        fbr_model_params: fields.read("fbr_model_params"),
        from: fields.read("from"),
        r#use: fields.read("use"),
        import: fields.read("import"),
    };
    let RareFields {
        nogo,
        model_params,
        diligence_push_max,
        fbr_effort,
        fbr_model_params,
        from,
        r#use,
        import,
    } = &rare;
    let is_empty = nogo.is_absent()
        && model_params.is_absent()
        && diligence_push_max.is_absent()
        && fbr_effort.is_absent()
        && fbr_model_params.is_absent()
        && [from, r#use, import].iter().all(|field| field.is_absent());
    (!is_empty).then(|| Box::new(rare))
}

/// An integer from 0 to 100.
struct Effort(i64);

impl Decode for Effort {
    fn decode(node: Node<'_>, cx: &mut Context) -> Option<Self> {
        const EXPECTED: &str = "an integer from 0 to 100";
        let number = match node.value() {
            Value::Integer(number) => number,
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a float without a fraction that is out of range stays so"
            )]
            Value::Float(number) if number.fract() == 0.0 => number as i64,
            _ => {
                cx.type_error(node, EXPECTED);
                return None;
            }
        };
        if !(0..=100).contains(&number) {
            cx.value_error(node, EXPECTED, |found| found);
            return None;
        }
        Some(Self(number))
    }
}
