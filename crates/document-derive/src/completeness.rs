//! Expansion of `Completeness`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result};

use crate::attributes::{FieldKind, fields};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let ident = &input.ident;
    let fields = fields(input)?;
    let keys = fields.iter().filter(|field| !matches!(field.kind, FieldKind::Skipped));
    let parts = keys.map(|field| {
        let ident = &field.ident;
        quote!(::minds_document::Completeness::is_complete(&self.#ident))
    });
    Ok(quote! {
        #[automatically_derived]
        impl ::minds_document::Completeness for #ident {
            fn is_complete(&self) -> bool {
                #(#parts)&&*
            }
        }
    })
}
