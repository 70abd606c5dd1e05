//! Files of an agent: JSON lines, the queue, the history.

use minds_fleet_protocol::{
    AgentFile, CallRecord, ContentHash, ErrorCode, Failure, HistoryRecord, Item, ItemEffects, ItemId,
    ItemState, Json, Lines, Outcome, Queue, QueueRecord, Repair, Request, RequestKey, SummaryRecord,
    Timestamp, find_expired, plan_rotation, trim_summaries,
};
use proptest::prelude::*;

fn time(seconds: f64) -> Timestamp {
    Timestamp::from_seconds(seconds).unwrap()
}

fn id(n: usize) -> ItemId {
    ItemId::parse(&format!("q-{n:03}")).unwrap()
}

fn item(n: usize, seconds: f64) -> Item {
    let line = format!(
        r#"{{"id":"q-{n:03}","ts":{seconds},"source":"console","text":"t","caller":"cli:s-1","req_id":"r-{n}","hash":"00","trace_id":"t-1"}}"#
    );
    serde_json::from_str(&line).unwrap()
}

#[test]
fn records_of_the_queue_have_the_documented_form() {
    for line in [
        r#"{"id":"q-1","ts":1.5,"source":"console","text":"run","caller":"cli:s-1","req_id":"r-1","hash":"00","trace_id":"t-1"}"#,
        r#"{"start":"q-1","ts":1.5,"attempt":2}"#,
        r#"{"done":"q-1","ts":1.5,"ok":true}"#,
        r#"{"done":"q-1","ts":1.5,"ok":false,"reason":"max_steps"}"#,
        r#"{"park":"q-1","ts":1.5,"reason":"crash"}"#,
        r#"{"retry":"q-1","ts":1.5,"caller":"cli:s-1"}"#,
        r#"{"drop":"q-1","ts":1.5,"caller":"cli:s-1"}"#,
    ] {
        let record = QueueRecord::parse(line).unwrap();
        assert_eq!(record.item_id().as_str(), "q-1");
        assert_eq!(serde_json::to_string(&record).unwrap(), line);
        let with_text = line.replace("1.5", "\"1970-01-01T00:00:01.5Z\"");
        assert_eq!(QueueRecord::parse(&with_text).unwrap(), record, "the form of RFC 3339 is read");
    }
    for line in
        [r#"{"ts":1}"#, r#"{"start":"q-1"}"#, r#"{"drop":"q-1","ts":1}"#, r#"{"start":7,"ts":1}"#, "[]"]
    {
        assert!(QueueRecord::parse(line).is_err(), "{line}");
    }
}

#[test]
fn records_of_the_history_have_the_documented_form() {
    let lines = [
        r#"{"seq":1,"ts":1.5,"role":"user","source":"console","content":"a","tokens_in":0,"tokens_out":0,"qid":"q-1"}"#,
        r#"{"seq":2,"ts":1.5,"role":"assistant","source":"system","content":"","tokens_in":9,"tokens_out":2,"qid":"q-1","tool_calls":[{"id":"c1","name":"os.exec","args":{"cmd":"ls"},"effect":"q-1/1/1"},{"id":"c2","name":"os.exec","args":{},"effect":"q-1/1/2"},{"id":"c3","name":"fs.read","args":{}}]}"#,
        r#"{"seq":3,"ts":1.5,"role":"tool","source":"system","content":"x","tokens_in":0,"tokens_out":0,"qid":"q-1","call_id":"c1","ok":true}"#,
        r#"{"seq":4,"ts":1.5,"role":"assistant","source":"system","content":"p","tokens_in":0,"tokens_out":0,"qid":"q-2","partial":true}"#,
    ];
    let history = lines.map(|line| serde_json::from_str::<HistoryRecord>(line).unwrap());
    assert_eq!(history.each_ref().map(|record| serde_json::to_string(record).unwrap()), lines);
    let effects = ItemEffects::of(&ItemId::parse("q-1").unwrap(), &history);
    assert_eq!(effects.begun, ["q-1/1/1", "q-1/1/2"]);
    assert_eq!(effects.interrupted, ["q-1/1/2"]);
    assert_eq!(ItemEffects::of(&ItemId::parse("q-2").unwrap(), &history), ItemEffects::default());
    let line = r#"{"ts":1.5,"summary":"s","window":[1,4]}"#;
    let summary: SummaryRecord = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&summary).unwrap(), line);
    assert_eq!(trim_summaries(&vec![summary.clone(); 201]).len(), 200);
    assert_eq!(trim_summaries(&[summary]).len(), 1);
    let line = r#"{"epoch":7,"next_offset":2000,"enrolled":true,"acp_session":"s"}"#;
    let file: AgentFile = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&file).unwrap(), line);
}

#[test]
fn an_answer_is_recorded_unless_the_request_may_be_sent_again() {
    let text = r#"{"req_id":"r-1","method":"queue.clear","params":{},"ts":1,"caller":"cli:s-1"}"#;
    let request = Request::decode(text.as_bytes()).unwrap();
    let record = |answer: &Outcome| {
        CallRecord::new(RequestKey::of(&request), ContentHash::of(&request), answer, time(1.5))
    };
    let success = Outcome::Success { value: Json::parse(r#"{"removed":1}"#).unwrap(), ts: time(1.5) };
    let failure = |code| Outcome::Failure(Failure::new(code, "m"));
    for (answer, is_recorded) in [
        (success, true),
        (failure(ErrorCode::ArgsInvalid), true),
        (failure(ErrorCode::Busy), false),
        (failure(ErrorCode::HandlerError), false),
    ] {
        let record = record(&answer);
        assert_eq!(record.is_some(), is_recorded, "{answer:?}");
        if let Some(record) = record {
            let line = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<CallRecord>(&line).unwrap().answer(), Some(answer));
        }
    }
}

#[test]
fn a_torn_line_is_cut_off_and_an_unreadable_one_stays() {
    for (text, lines, unreadable, repair) in [
        ("", 0, vec![], Repair::None),
        ("{}\n{}\n", 2, vec![], Repair::None),
        ("{}\n{\"a\":1", 1, vec![], Repair::Truncate(3)),
        ("{}\n{\"a\":1}", 2, vec![], Repair::AppendNewline),
        ("{}\n\0\0\0", 1, vec![], Repair::Truncate(3)),
        ("{}\n12", 1, vec![], Repair::Truncate(3)),
        ("{}\nx{\n{}\n", 2, vec![3..6], Repair::None),
        ("[1]\n\n \n{}\r\n", 1, vec![0..4], Repair::None),
        ("{}\n ", 1, vec![], Repair::Truncate(3)),
    ] {
        let read = Lines::read(text.as_bytes());
        assert_eq!((read.lines.len(), read.unreadable, read.repair), (lines, unreadable, repair), "{text:?}");
    }
    let read = Lines::read(b"{\"a\":\"\xff\"}\n{}\n");
    assert_eq!((read.lines, read.unreadable), (vec!["{}"], vec![0..10]));
}

#[test]
fn rotated_files_are_moved_as_far_as_the_next_free_number() {
    for (size, rotated, remove, rename) in [
        (100, &[][..], &[][..], &[(0, 1)][..]),
        (100, &[1, 2], &[], &[(2, 3), (1, 2), (0, 1)]),
        (100, &[1, 3], &[], &[(1, 2), (0, 1)]),
        (100, &[1, 2, 3], &[3], &[(2, 3), (1, 2), (0, 1)]),
        (100, &[1, 2, 3, 7], &[7, 3], &[(2, 3), (1, 2), (0, 1)]),
    ] {
        let plan = plan_rotation(size, 99, 3, rotated).unwrap();
        assert_eq!((plan.remove.as_slice(), plan.rename.as_slice()), (remove, rename), "{rotated:?}");
    }
    assert_eq!(plan_rotation(99, 99, 3, &[1]), None);
    assert_eq!(find_expired(&[(1, 86_400), (2, 86_401)], 1), [2]);
    assert_eq!(find_expired(&[(1, u64::MAX)], 0), [0_u32; 0]);
}

#[test]
fn an_interrupted_item_with_effects_is_parked_and_waits_for_a_decision() {
    let mut queue = Queue::default();
    for n in 0..3 {
        queue.apply(QueueRecord::Item(item(n, 1.0))).unwrap();
    }
    assert_eq!(queue.next().map(|(item, attempt)| (item.id.clone(), attempt)), Some((id(0), 1)));
    queue.apply(QueueRecord::Start { start: id(0), ts: time(2.0), attempt: 1 }).unwrap();
    assert_eq!(queue.recover(|_| false, time(3.0)), []);
    assert_eq!(
        queue.next().map(|(item, attempt)| (item.id.clone(), attempt)),
        Some((id(0), 2)),
        "it runs again"
    );
    let parked = queue.recover(|_| true, time(3.0));
    assert_eq!(parked.len(), 1);
    queue.apply(parked[0].clone()).unwrap();
    assert_eq!(queue.next().map(|(item, _)| item.id.clone()), Some(id(1)), "the next item runs");
    assert_eq!((queue.counts().pending, queue.counts().parked), (2, 1));
    let caller = || minds_fleet_protocol::Caller::parse("cli:s-1").unwrap();
    queue.apply(QueueRecord::Retry { retry: id(0), ts: time(4.0), caller: caller() }).unwrap();
    assert_eq!(queue.next().map(|(item, attempt)| (item.id.clone(), attempt)), Some((id(0), 2)));
    queue.apply(QueueRecord::Drop { drop: id(0), ts: time(4.0), caller: caller() }).unwrap();
    assert_eq!(queue.state(&id(0)), Some(ItemState::Done));
    let error = queue.apply(QueueRecord::Start { start: id(0), ts: time(5.0), attempt: 3 }).unwrap_err();
    assert_eq!(error.item, id(0));
    assert!(queue.apply(QueueRecord::Item(item(1, 1.0))).is_err(), "an item is added once");
    assert_eq!(queue.list().len(), 2);
}

proptest! {
    /// A file that is torn at any byte loses only its last line, and the repaired file reads the same.
    #[test]
    fn a_file_torn_at_any_byte_loses_its_last_line_only(lines in proptest::collection::vec("[a-zé\\\\\"\n]{0,8}", 0..8), cut in any::<prop::sample::Index>()) {
        let complete: Vec<String> = lines.iter().map(|text| serde_json::json!({ "a": text }).to_string()).collect();
        let bytes: Vec<u8> = complete.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
        let torn = &bytes[..cut.index(bytes.len() + 1)];
        let read = Lines::read(torn);
        let whole = torn.split(|byte| *byte == b'\n').count() - 1;
        let expected = whole + usize::from(read.repair == Repair::AppendNewline);
        prop_assert_eq!(&read.lines, &complete[..expected].iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert!(read.unreadable.is_empty());
        let mut repaired = torn.to_vec();
        match read.repair {
            Repair::None => {}
            Repair::AppendNewline => repaired.push(b'\n'),
            Repair::Truncate(size) => repaired.truncate(size),
        }
        let again = Lines::read(&repaired);
        prop_assert_eq!((again.lines, again.repair), (read.lines, Repair::None));
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), Just(b'}'), any::<u8>()], 0..60)) {
        let read = Lines::read(&bytes);
        if let Repair::Truncate(size) = read.repair {
            prop_assert!(size < bytes.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The compacted file gives the same queue but for removed done items, and is much smaller.
    #[test]
    fn a_compacted_queue_is_the_same_queue(steps in proptest::collection::vec((0_usize..140, 0_u8..6), 0..900), now in 0_u32..200) {
        let mut queue = Queue::default();
        let caller = || minds_fleet_protocol::Caller::parse("cli:s-1").unwrap();
        let ts = time(500.0);
        for n in 0..140 {
            queue.apply(QueueRecord::Item(item(n, n as f64))).unwrap();
        }
        for (n, step) in steps {
            let attempt = queue.list().iter().find(|item| item.qid == id(n)).map_or(1, |item| item.attempt + 1);
            let before = queue.clone();
            let result = queue.apply(match step {
                0 | 1 => QueueRecord::Start { start: id(n), ts, attempt },
                2 => QueueRecord::Done { done: id(n), ts, ok: true, reason: None },
                3 => QueueRecord::Park { park: id(n), ts, reason: String::new() },
                4 => QueueRecord::Retry { retry: id(n), ts, caller: caller() },
                _ => QueueRecord::Drop { drop: id(n), ts, caller: caller() },
            });
            let mut reverted = queue.clone();
            if result.is_ok() {
                reverted.revert(&id(n));
            }
            prop_assert!(reverted == before, "a record that is refused or taken back changes nothing");
        }
        let now = time(f64::from(now));
        let is_removed = |item: &Item, state| {
            // The newest item stays, so that its id is not given again.
            state == ItemState::Done && now.as_seconds() - item.ts.as_seconds() >= 60.0 && item.id != id(139)
        };
        let removed = queue.items().filter(|(item, state)| is_removed(item, *state)).count();
        let plan = queue.plan_compaction(now);
        prop_assert_eq!(plan.is_some(), removed >= 100);
        if let Some(records) = plan {
            let mut compacted = Queue::default();
            for record in records {
                // As it is read from the file.
                let line = serde_json::to_string(&record).unwrap();
                compacted.apply(QueueRecord::parse(&line).unwrap()).unwrap();
            }
            prop_assert_eq!(compacted.list(), queue.list());
            prop_assert_eq!(compacted.next(), queue.next());
            let kept: Vec<_> = queue.items().filter(|(item, state)| !is_removed(item, *state)).collect();
            prop_assert_eq!(compacted.items().collect::<Vec<_>>(), kept);
        }
    }
}
