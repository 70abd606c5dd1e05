//! Several items become true at once.
