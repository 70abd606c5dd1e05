//! Where `minds` means to differ from what was recorded, and why.

/// A case, the aspect that differs, and the reason. Each must be needed.
pub(crate) const DELIBERATE: &[(&str, &str, &str)] = &[];
