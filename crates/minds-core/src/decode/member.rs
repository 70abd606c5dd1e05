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
            name: fields.optional("name"),
            icon: fields.optional("icon"),
            gofor: fields.optional("gofor"),
            provider: fields.optional("provider"),
            model: fields.optional("model"),
            toolsets: fields.optional("toolsets"),
            tools: fields.optional("tools"),
            access: access_lists(&mut fields),
            streaming: fields.optional("streaming"),
            hidden: fields.optional("hidden"),
            rare: decode_rare_fields(&mut fields),
        };
        let meant = fields.finish_with(|entry| model_params::hint(entry.key, SECTIONS, "model_params."));
        meant.mark("provider", &mut member.provider);
        meant.mark("model", &mut member.model);
        meant.mark("toolsets", &mut member.toolsets);
        meant.mark("tools", &mut member.tools);
        meant.mark("streaming", &mut member.streaming);
        meant.mark("hidden", &mut member.hidden);
        mark_misspelled(&mut member.access, &meant);
        Some(member)
    }
}

/// Decodes rarely used fields. They are boxed to keep most members small.
fn decode_rare_fields(fields: &mut Fields<'_, '_>) -> Option<Box<RareFields>> {
    let rare = RareFields {
        nogo: fields.optional("nogo"),
        model_params: fields.optional("model_params"),
        diligence_push_max: fields.optional_in_two_spellings("diligence-push-max", "diligence_push_max"),
        fbr_effort: fields
            .optional_in_two_spellings::<Effort>("fbr-effort", "fbr_effort")
            .map(|effort| effort.0),
        fbr_model_params: fields.optional("fbr_model_params"),
        from: fields.optional("from"),
        r#use: fields.optional("use"),
        import: fields.optional("import"),
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
