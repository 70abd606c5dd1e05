#![doc = include_str!("../README.md")]

pub mod hunks;
pub mod journal;
pub mod problems;
