//! The attributes of a declaration.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, GenericArgument, Ident, Lit, LitStr};
use syn::{Meta, PathArguments, Result, Token, Type};

/// The attributes of a struct.
#[derive(Default)]
pub(crate) struct Mapping {
    pub(crate) title: Option<LitStr>,
    pub(crate) define: Option<LitStr>,
    pub(crate) extend: Option<TokenStream>,
    pub(crate) hint: Option<TokenStream>,
    pub(crate) list: Option<LitStr>,
    /// The name of the generated type in which every key is a `Field<…>`.
    pub(crate) partial: Option<Ident>,
    pub(crate) is_described: bool,
    pub(crate) is_open: bool,
    pub(crate) is_group: bool,
    /// The first paragraph of the doc comment.
    pub(crate) description: String,
}

/// A field of a struct.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) kind: FieldKind,
}

/// What a field of a struct is.
pub(crate) enum FieldKind {
    Key(Box<Key>),
    Group,
    Skipped,
}

#[derive(Default)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) also: Option<LitStr>,
    pub(crate) is_required: bool,
    /// The function that returns whether a value means the same as no key.
    pub(crate) absent: Option<TokenStream>,
    /// Whether the value is a `Spanned<…>`, so that there is no value of the mapping without it.
    pub(crate) is_essential: bool,
    pub(crate) decode: Option<TokenStream>,
    pub(crate) schema: Option<TokenStream>,
    pub(crate) order: Option<TokenStream>,
    /// The limits of a number.
    pub(crate) range: Option<TokenStream>,
    /// Keywords of the schema, with their values.
    pub(crate) keywords: Vec<(&'static str, TokenStream)>,
    /// The first paragraph of the doc comment.
    pub(crate) description: String,
}

impl Mapping {
    pub(crate) fn parse(input: &DeriveInput) -> Result<Self> {
        let mut mapping = Self { description: first_paragraph(&input.attrs), ..Self::default() };
        each_attribute(&input.attrs, "keys", |meta| {
            match name_of(meta).as_str() {
                "title" => mapping.title = Some(meta.value()?.parse()?),
                "define" => mapping.define = Some(meta.value()?.parse()?),
                "extend" => mapping.extend = Some(value(meta)?),
                "hint" => mapping.hint = Some(value(meta)?),
                "list" => mapping.list = Some(meta.value()?.parse()?),
                "partial" => mapping.partial = Some(meta.value()?.parse()?),
                "describe" => mapping.is_described = true,
                "open" => mapping.is_open = true,
                "group" => mapping.is_group = true,
                _ => return Err(meta.error("unknown attribute of a mapping")),
            }
            Ok(())
        })?;
        if mapping.title.is_none() != mapping.is_group {
            return Err(Error::new_spanned(&input.ident, "a mapping needs a `title`, and a group has none"));
        }
        Ok(mapping)
    }
}

/// Returns the fields of a struct with named fields.
pub(crate) fn fields(input: &DeriveInput) -> Result<Vec<Field>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "only a struct declares keys"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "only a struct with named fields declares keys"));
    };
    let fields = named.named.iter().filter_map(|field| {
        let ident = field.ident.clone()?;
        Some(field_kind(field, &ident).map(|kind| Field { ident, ty: field.ty.clone(), kind }))
    });
    fields.collect()
}

fn field_kind(field: &syn::Field, ident: &Ident) -> Result<FieldKind> {
    let is_essential = type_in(&field.ty, "Spanned").is_some();
    let mut key = Key {
        name: ident.unraw().to_string(),
        description: first_paragraph(&field.attrs),
        is_required: is_essential,
        is_essential,
        ..Key::default()
    };
    let mut other = None;
    each_attribute(&field.attrs, "key", |meta| {
        match name_of(meta).as_str() {
            "name" => key.name = meta.value()?.parse::<LitStr>()?.value(),
            "also" => key.also = Some(meta.value()?.parse()?),
            "required" => key.is_required = true,
            "absent" => key.absent = Some(value(meta)?),
            "decode" => key.decode = Some(value(meta)?),
            "schema" => key.schema = Some(value(meta)?),
            "range" => key.range = Some(value(meta)?),
            "order" => key.order = Some(value(meta)?),
            "default" => key.keywords.push(("default", value(meta)?)),
            "examples" => key.keywords.push(("examples", value(meta)?)),
            "flatten" => other = Some(FieldKind::Group),
            "skip" => other = Some(FieldKind::Skipped),
            _ => return Err(meta.error("unknown attribute of a key")),
        }
        Ok(())
    })?;
    if key.also.is_some() && (key.decode.is_some() || key.absent.is_some()) {
        return Err(Error::new_spanned(ident, "a key with another spelling is decoded by its type"));
    }
    if key.range.is_some() && (key.also.is_some() || key.decode.is_some() || key.schema.is_some()) {
        return Err(Error::new_spanned(
            ident,
            "a key with a range has one spelling, and no decoder or schema",
        ));
    }
    if other.is_none() && key.description.is_empty() {
        return Err(Error::new_spanned(ident, "a key needs a doc comment, which describes it"));
    }
    Ok(other.unwrap_or_else(|| FieldKind::Key(Box::new(key))))
}

/// Returns the type in a `Field<…>` or a `Spanned<…>`.
pub(crate) fn value_type(ty: &Type) -> Result<&Type> {
    let value = type_in(ty, "Field").or_else(|| type_in(ty, "Spanned"));
    value.ok_or_else(|| Error::new_spanned(ty, "a key has the type `Field<…>` or `Spanned<…>`"))
}

/// Returns the type argument of a type with this name.
fn type_in<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

fn each_attribute(
    attributes: &[Attribute],
    name: &str,
    mut read: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    let ours = attributes.iter().filter(|attribute| attribute.path().is_ident(name));
    ours.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(|meta| read(&meta)))
}

fn name_of(meta: &ParseNestedMeta<'_>) -> String {
    meta.path.get_ident().map(ToString::to_string).unwrap_or_default()
}

/// Returns the tokens of a value, up to the next comma.
fn value(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let input = meta.value()?;
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        let token: TokenTree = input.parse()?;
        tokens.extend(quote!(#token));
    }
    if tokens.is_empty() { Err(meta.error("a value is missing")) } else { Ok(tokens) }
}

/// Returns the first paragraph of a doc comment, on one line.
fn first_paragraph(attributes: &[Attribute]) -> String {
    let lines =
        attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
            let Meta::NameValue(pair) = &attribute.meta else { return None };
            let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return None };
            Some(text.value().trim().to_owned())
        });
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
