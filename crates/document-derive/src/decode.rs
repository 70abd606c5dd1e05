//! Expansion of `Decode`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result};

use crate::attributes::Mapping;

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let mapping = Mapping::parse(input)?;
    let ident = &input.ident;
    let hint = mapping.hint.unwrap_or_else(|| quote!(|_| ::core::option::Option::None));
    let keyed = mapping.partial.as_ref().unwrap_or(ident);
    let complete = mapping.partial.as_ref().map(|_| quote!(?.complete()));
    Ok(quote! {
        #[automatically_derived]
        impl ::minds_document::Decode for #ident {
            const ORDER: ::minds_document::yaml::KeyOrder = ::minds_document::yaml::KeyOrder::of::<#keyed>();

            fn decode(
                node: ::minds_document::Node<'_>,
                cx: &mut ::minds_document::Context,
            ) -> ::core::option::Option<Self> {
                ::minds_document::decode_keys::<#keyed>(node, cx, #hint)#complete
            }
        }
    })
}
