//! Human-readable sizes and times.

/// Renders a number of bytes in at most nine columns.
pub(super) fn size_text(bytes: u64) -> String {
    const KIB: u64 = 1024;
    match bytes {
        0 => "empty".to_owned(),
        bytes if bytes < KIB => format!("{bytes} B"),
        bytes => {
            let (unit, name) = if bytes < KIB * KIB { (KIB, "KiB") } else { (KIB * KIB, "MiB") };
            format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit)
        }
    }
}

/// Renders a time to the minute.
pub(super) fn time_text(time: &str) -> String {
    let time = minds_diagnostics::emit::printable(time);
    time.replacen('T', " ", 1).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_short() {
        for (bytes, text) in [
            (0, "empty"),
            (1, "1 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_575, "1023.9 KiB"),
            (4 << 20, "4.0 MiB"),
        ] {
            assert_eq!(size_text(bytes), text);
        }
        assert_eq!(time_text("2026-11-22T06:10:59.123Z"), "2026-11-22 06:10");
        assert_eq!(time_text("soon"), "soon");
    }
}
