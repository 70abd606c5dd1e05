//! Expansion of the JSON Schema.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Result};

use crate::attributes::{Field, FieldKind, Key, Mapping, value_type};

/// Returns the function that adds the keys to the schema of a mapping.
pub(crate) fn describe_keys(fields: &[Field]) -> Result<TokenStream> {
    let parts = fields.iter().map(|Field { ty, kind, .. }| match kind {
        FieldKind::Key(key) => describe(key, ty),
        FieldKind::Group => {
            Ok(quote!(<#ty as ::minds_document::Keys>::describe_keys(properties, generator);))
        }
        FieldKind::Skipped => Ok(quote!()),
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    Ok(quote! {
        fn describe_keys(
            properties: &mut ::minds_document::json_schema::Properties,
            generator: &mut ::minds_document::json_schema::SchemaGenerator,
        ) {
            #(#parts)*
        }
    })
}

fn describe(key: &Key, ty: &syn::Type) -> Result<TokenStream> {
    let Key { name, description, .. } = key;
    let value = match (&key.schema, &key.range) {
        (Some(schema), _) => quote!(#schema(generator)),
        (None, Some(range)) => {
            let ty = value_type(ty)?;
            quote!(<#ty as ::minds_document::LimitedNumber>::schema_within((#range).into()))
        }
        (None, None) => {
            let ty = value_type(ty)?;
            quote!(generator.subschema_for::<#ty>())
        }
    };
    let value = match &key.absent {
        Some(_) => quote!(::minds_document::json_schema::or_null(#value)),
        None => value,
    };
    let (words, values): (Vec<&str>, Vec<&TokenStream>) =
        key.keywords.iter().map(|(word, value)| (*word, value)).unzip();
    let also = key.also.as_ref().map(|also| quote!(properties.add_spelling(#also, #name, value.clone());));
    let required = key.is_required.then(|| quote!(properties.require(#name);));
    Ok(quote! {
        let value = #value;
        #also
        properties.add(
            #name,
            value,
            #description,
            [#((#words, ::minds_document::json_schema::json!(#values))),*],
        );
        #required
    })
}

/// Returns the implementation of `JsonSchema`, with the keys of the type `keyed`; a group has none.
pub(crate) fn expand(ident: &Ident, keyed: &Ident, mapping: &Mapping) -> TokenStream {
    let Some(title) = &mapping.title else { return quote!() };
    let name = mapping.define.as_ref().unwrap_or(title);
    let is_inline = mapping.define.is_none();
    let is_open = mapping.is_open;
    let description = mapping.is_described.then(|| {
        let description = &mapping.description;
        quote!(let schema = ::minds_document::json_schema::Keywords::describe(schema, #description);)
    });
    let extend = mapping.extend.as_ref().map(|extend| quote!(let schema = #extend(schema);));
    quote! {
        #[automatically_derived]
        impl ::minds_document::json_schema::JsonSchema for #ident {
            fn inline_schema() -> bool {
                #is_inline
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                #name.into()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!(#ident)).into()
            }

            fn json_schema(
                generator: &mut ::minds_document::json_schema::SchemaGenerator,
            ) -> ::minds_document::json_schema::Schema {
                let mut properties = ::minds_document::json_schema::Properties::default();
                <#keyed as ::minds_document::Keys>::describe_keys(&mut properties, generator);
                let schema = properties.into_schema(#title, #is_open);
                #description
                #extend
                schema
            }
        }
    }
}
