//! Producer state, case by case.

use super::*;
use crate::batch::BatchBuilder;

const NOW: WallMs = WallMs(1_000);

fn batch(id: i64, epoch: i16, sequence: i32, count: i32, base_offset: i64) -> BatchHeader {
    let mut builder = BatchBuilder::new().producer(ProducerId(id), ProducerEpoch(epoch), Sequence(sequence));
    for _ in 0..count {
        builder = builder.record(77, None, None);
    }
    let mut header = BatchHeader::parse(&builder.build()).unwrap();
    header.base_offset = Offset(base_offset);
    header
}

fn with(batches: &[BatchHeader]) -> Producers {
    let mut producers = Producers::default();
    for header in batches {
        assert_eq!(producers.check(header), Ok(Standing::Fresh));
        producers.apply(header, NOW, 10);
    }
    producers
}

fn duplicate(base: i64, last: i64) -> Result<Standing, SequenceRefusal> {
    Ok(Standing::Duplicate(Duplicate { base_offset: Offset(base), last_offset: Offset(last), timestamp: 77 }))
}

fn out_of_order(expected: i32, found: i32) -> Result<Standing, SequenceRefusal> {
    Err(SequenceRefusal::OutOfOrder { expected: Sequence(expected), found: Sequence(found) })
}

#[test]
fn q41_a_duplicate_answers_with_its_first_offset() {
    let producers = with(&[batch(1, 0, 0, 3, 100), batch(1, 0, 3, 2, 110)]);
    assert_eq!(producers.check(&batch(1, 0, 0, 3, 0)), duplicate(100, 102));
    assert_eq!(producers.check(&batch(1, 0, 3, 2, 0)), duplicate(110, 111));
    // The same first sequence with another count is no retry.
    assert_eq!(producers.check(&batch(1, 0, 0, 2, 0)), out_of_order(5, 0));
}

#[test]
fn q41_five_batches_are_remembered_and_no_more() {
    let batches: Vec<_> = (0..6).map(|i| batch(1, 0, i, 1, i64::from(i))).collect();
    let producers = with(&batches);
    assert_eq!(producers.check(&batches[0]), out_of_order(6, 0));
    for (header, offset) in batches[1..].iter().zip(1..) {
        assert_eq!(producers.check(header), duplicate(offset, offset));
    }
}

#[test]
fn q42_a_gap_is_refused_and_an_unknown_producer_starts_anywhere() {
    let producers = with(&[batch(1, 0, 40, 2, 0)]);
    assert_eq!(producers.check(&batch(1, 0, 43, 1, 0)), out_of_order(42, 43));
    assert_eq!(producers.check(&batch(2, 5, 999, 1, 0)), Ok(Standing::Fresh));
}

#[test]
fn q42_a_new_epoch_starts_at_zero() {
    let producers = with(&[batch(1, 0, 0, 2, 0)]);
    assert_eq!(producers.check(&batch(1, 1, 2, 1, 0)), out_of_order(0, 2));
    assert_eq!(producers.check(&batch(1, 1, 0, 1, 0)), Ok(Standing::Fresh));
}

#[test]
fn q43_an_old_epoch_is_refused_even_with_a_known_sequence() {
    let producers = with(&[batch(1, 0, 0, 2, 0), batch(1, 1, 0, 2, 2)]);
    let stale = Err(SequenceRefusal::StaleEpoch { current: ProducerEpoch(1) });
    assert_eq!(producers.check(&batch(1, 0, 0, 2, 0)), stale);
}

#[test]
fn c27_sequences_wrap_between_and_within_batches() {
    with(&[batch(1, 0, 2_147_483_646, 2, 0), batch(1, 0, 0, 1, 2)]);
    let within = batch(2, 0, 2_147_483_645, 10, 0);
    let producers = with(&[within]);
    assert_eq!(producers.check(&within), duplicate(0, 9));
    assert_eq!(producers.check(&batch(2, 0, 7, 1, 0)), Ok(Standing::Fresh));
}

#[test]
fn c31_the_producer_idle_longest_makes_room() {
    let mut producers = Producers::default();
    for id in 0..12 {
        producers.apply(&batch(id, 0, 0, 1, id), NOW, 10);
        producers.apply(&batch(0, 0, id as i32 + 1, 1, 50 + id), NOW, 10);
    }
    assert_eq!((producers.count(), producers.evicted_count()), (10, 2));
    assert_eq!(producers.check(&batch(1, 0, 55, 1, 0)), Ok(Standing::Fresh));
    assert_eq!(producers.check(&batch(0, 0, 55, 1, 0)), out_of_order(13, 55));
    assert_eq!(producers.check(&batch(11, 0, 0, 1, 0)), duplicate(11, 11));
    assert!(size_of::<Producer>() <= 88, "{}", size_of::<Producer>());
}

#[test]
fn q44_an_idle_producer_expires() {
    let mut producers = Producers::default();
    producers.apply(&batch(1, 0, 0, 1, 0), WallMs(0), 10);
    producers.apply(&batch(2, 0, 0, 1, 0), WallMs(50), 10);
    producers.expire(WallMs(100), 100);
    assert_eq!(producers.count(), 1);
    assert_eq!(producers.check(&batch(1, 0, 9, 1, 0)), Ok(Standing::Fresh));
    assert_eq!(producers.check(&batch(2, 0, 9, 1, 0)), out_of_order(1, 9));
}

#[test]
fn c25_a_snapshot_keeps_all_five_batches() {
    let batches: Vec<_> = (0..7).map(|i| batch(i64::from(i % 2), 3, i / 2, 1, i64::from(i))).collect();
    let producers = with(&batches);
    let bytes = producers.encode_snapshot();
    let again = Producers::decode_snapshot(&bytes, NOW).unwrap();
    for header in &batches {
        assert!(matches!(again.check(header), Ok(Standing::Duplicate(_))));
        assert_eq!(again.check(header), producers.check(header));
    }
    assert_eq!(again.encode_snapshot(), bytes);
}

#[test]
fn a_damaged_snapshot_is_not_believed() {
    let bytes = with(&[batch(1, 0, 0, 1, 0)]).encode_snapshot();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(Producers::decode_snapshot(&damaged, NOW).is_err(), "byte {at}");
        assert!(Producers::decode_snapshot(&bytes[..at], NOW).is_err(), "cut at {at}");
    }
}
