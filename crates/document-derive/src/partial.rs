//! Expansion of `partial`: a type for the keys of a mapping before it is known that the essential ones are valid.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{DeriveInput, Error, Result};

use crate::attributes::{Field, FieldKind, Mapping, value_type};

/// Checks that a mapping with essential keys names its partial type.
pub(crate) fn require_name(mapping: &Mapping, fields: &[Field]) -> Result<()> {
    let mut essential = fields.iter().filter(|field| field.is_essential());
    match essential.next() {
        Some(field) if mapping.partial.is_none() => Err(Error::new_spanned(
            &field.ident,
            "a mapping with a key of the type `Spanned<…>` needs `partial`",
        )),
        _ => Ok(()),
    }
}

/// Returns the partial type and its conversion to the mapping.
pub(crate) fn expand(name: &Ident, input: &DeriveInput, fields: &[Field]) -> Result<TokenStream> {
    let ident = &input.ident;
    let mut declarations = Vec::new();
    let mut values = Vec::new();
    for field in fields {
        let Field { ident, ty, .. } = field;
        if field.is_essential() {
            let ty = value_type(ty)?;
            declarations.push(quote!(pub(crate) #ident: ::minds_document::Field<#ty>));
            values.push(quote!(#ident: self.#ident.into_given()?));
        } else {
            declarations.push(quote!(pub(crate) #ident: #ty));
            values.push(quote!(#ident: self.#ident));
        }
    }
    let doc = format!("The keys of [`{ident}`], all of which may be absent or unreadable.");
    Ok(quote! {
        #[doc = #doc]
        #[derive(Debug)]
        pub(crate) struct #name { #(#declarations,)* }

        impl #name {
            /// Returns the value; `None` if a key is absent or unreadable without which there is none.
            pub(crate) fn complete(self) -> ::core::option::Option<#ident> {
                ::core::option::Option::Some(#ident { #(#values,)* })
            }
        }
    })
}

impl Field {
    /// Returns whether there is no value of the mapping without this key.
    fn is_essential(&self) -> bool {
        matches!(&self.kind, FieldKind::Key(key) if key.is_essential)
    }
}
