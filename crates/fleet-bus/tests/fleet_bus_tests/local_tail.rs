//! The files of the tail of the local transport.

use crate::local::LocalFleet;
use crate::local_files::{announce, append, now, offsets, read, segment, state, warnings};

#[test]
fn a_last_line_that_is_not_complete_is_cut_off() {
    let fleet = LocalFleet::new();
    announce(&fleet).publisher.publish(warnings(3), now()).unwrap();
    append(&segment(&fleet), r#"{"offset":3,"epoch":1,"ts":17"#);
    assert_eq!(offsets(&read(&fleet, 0)), ["0", "1", "2"]);
    assert_eq!(announce(&fleet).publisher.publish(warnings(2), now()).unwrap(), 3);
    assert_eq!(offsets(&read(&fleet, 0)), ["0", "1", "2", "3", "4"]);
}

#[test]
fn a_line_that_is_not_a_frame_is_skipped_and_its_bytes_stay() {
    let fleet = LocalFleet::new();
    announce(&fleet).publisher.publish(warnings(3), now()).unwrap();
    append(&segment(&fleet), "not a frame\n");
    let next = announce(&fleet).publisher.publish(warnings(1), now()).unwrap();
    // Which offset the line had is not known.
    assert!(next > 3);
    assert_eq!(offsets(&read(&fleet, 1)), ["1", "2", &format!("3-{}", next - 1), &next.to_string()]);
    assert!(std::fs::read_to_string(segment(&fleet)).unwrap().contains("not a frame\n"));
}

#[test]
fn offsets_do_not_restart_when_the_tail_is_lost() {
    let fleet = LocalFleet::new();
    announce(&fleet).publisher.publish(warnings(2_500), now()).unwrap();
    std::fs::remove_dir_all(state(&fleet).join("tail")).unwrap();
    let next = announce(&fleet).publisher.publish(warnings(1), now()).unwrap();
    assert!((2_500..=3_500).contains(&next), "{next}");
    assert_eq!(offsets(&read(&fleet, 7)), [format!("7-{}", next - 1), next.to_string()]);
}

#[test]
fn segments_are_closed_and_removed() {
    let fleet = LocalFleet::new();
    let mut announced = announce(&fleet);
    for _ in 0..100 {
        announced.publisher.publish(warnings(500), now()).unwrap();
    }
    let names = std::fs::read_dir(state(&fleet).join("tail")).unwrap();
    let sizes: Vec<u64> = names.map(|entry| entry.unwrap().metadata().unwrap().len()).collect();
    assert!((2..=4).contains(&sizes.len()) && sizes.iter().all(|size| *size < 300_000), "{sizes:?}");
}
