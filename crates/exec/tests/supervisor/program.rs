//! Runs `confine` for the tests and the benchmark of this crate. With the argument `none` it behaves as on a kernel without
//! Landlock.

use std::process::ExitCode;

fn main() -> ExitCode {
    let kernel = if std::env::args().nth(1).as_deref() == Some("none") {
        minds_exec::KernelSandbox::Unused
    } else {
        minds_exec::KernelSandbox::Used
    };
    match minds_exec::confine(kernel) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
