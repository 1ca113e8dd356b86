//! What is told one by one, and what is not once there is too much of it.

use super::*;
use crate::config::ServerConfig;
use crate::control::hub;
use crate::metadata::PartitionState;
use crate::metadata::record::Record;

/// Topics "t-0", "t-1", … of so many partitions each.
fn image(topics: u128, partitions: i32) -> Image {
    let mut image = Image::empty(Arc::new(ServerConfig::new(Vec::new(), "machine").unwrap()), "c");
    for number in 0..topics {
        let topic_id = Uuid::from_u128(number + 1);
        image.apply(&Record::Topic { name: format!("t-{number}").as_str().into(), id: topic_id });
        for partition in 0..partitions {
            image.apply(&Record::Partition { topic_id, partition, state: PartitionState::of_one(0) });
        }
    }
    image
}

fn facts(image: &Image) -> Vec<PartitionFacts> {
    let counts = PartitionCounts { records_in: 1, bytes_in: 10, records_out: 2, bytes_out: 20 };
    let all =
        image.topics().flat_map(|topic| (0..topic.partitions.len()).map(|number| (topic.id, number as i32)));
    all.map(|(topic_id, partition)| PartitionFacts {
        id: PartitionId { topic_id, partition },
        state: if partition == 0 { LogState::Offline } else { LogState::Open },
        log: None,
        unstable_ms: 0,
        counts,
    })
    .collect()
}

fn built(partitions_max: usize, image: &Image) -> Building {
    let limits = Limits { partitions_max, topics_max: 2, groups_max: 1, group_partitions_max: 1 };
    let mut building = Building::new(limits);
    for slice in facts(image).chunks(3) {
        building.add_partitions(image, slice);
    }
    building
}

#[test]
fn above_the_limit_there_are_sums_of_topics_alone() {
    let image = image(3, 4);
    for (partitions_max, rows) in [(12, 12), (11, 0), (0, 0)] {
        let built = built(partitions_max, &image);
        assert_eq!(built.partitions.len(), rows);
        assert_eq!((built.logs.open, built.logs.offline, built.logs.closed), (9, 3, 0));
        assert_eq!(built.topics.len(), 3);
        for sums in built.topics.values() {
            assert_eq!((sums.partition_count, sums.offline_count), (4, 1));
            assert_eq!((sums.counts.records_in, sums.counts.bytes_out), (4, 80));
        }
    }
}

#[test]
fn a_partition_that_the_metadata_does_not_name_any_more_is_left_out() {
    let (before, after) = (image(2, 2), image(1, 2));
    let mut building = built(100, &after);
    building.add_partitions(&after, &facts(&before)[2..]);
    assert_eq!((building.partitions.len(), building.topics.len()), (2, 1));
}

#[test]
fn a_groups_lag_is_the_sum_of_records_and_the_largest_age() {
    let facts = |group: &str| GroupFacts {
        group: group.into(),
        kind: "classic",
        state: "Stable",
        generation: 4,
        member_count: 2,
        committed: Vec::new(),
    };
    let reader = |group: &str, lag: Option<(u64, Option<i64>)>| Reader {
        group: group.into(),
        topic: "t".into(),
        partition: PartitionId { topic_id: Uuid::ZERO, partition: 0 },
        offset: Offset::ZERO,
        lag: lag.map(|(records, age_ms)| Lag {
            log_start: Offset::ZERO,
            last_stable: Offset(5),
            records,
            age_ms,
        }),
    };
    let readers = [
        reader("a", Some((5, Some(100)))),
        reader("a", Some((7, Some(900)))),
        reader("a", None),
        reader("b", Some((3, None))),
    ];
    let groups = [facts("a"), facts("b"), facts("c")];
    let rows = group_rows(&groups.iter().collect::<Vec<_>>(), &readers);
    let lags: Vec<_> = rows.iter().map(|row| (row.lag_records, row.lag_ms)).collect();
    assert_eq!(lags, [(Some(12), Some(900)), (Some(3), None), (None, None)]);
}

#[test]
fn a_topic_that_is_made_anew_while_the_cores_tell_is_shown_once() {
    let before = Arc::new(image(1, 3));
    let mut after = Image::clone(&before);
    let (old_id, topic_id) = (Uuid::from_u128(1), Uuid::from_u128(99));
    after.apply(&Record::RemoveTopic { id: old_id });
    after.apply(&Record::Topic { name: "t-0".into(), id: topic_id });
    after.apply(&Record::Partition { topic_id, partition: 0, state: PartitionState::of_one(0) });
    let after = Arc::new(after);
    let answer = |image: &Arc<Image>| {
        let facts = CoreFacts { image: Arc::clone(image), ..hub::tests::facts(1) };
        Some(Arc::new(built(100, image).finish(facts)))
    };
    let limits = Limits { partitions_max: 100, topics_max: 2, groups_max: 1, group_partitions_max: 1 };
    // The first core has told before the topic was made anew, the second one after that.
    let snapshot = Snapshot::of(vec![answer(&before), answer(&after)], vec![false; 2], &[], limits);
    let ids: Vec<Uuid> =
        (0..).map_while(|place| snapshot.partition_row(place)).map(|row| row.topic.id).collect();
    assert_eq!(ids, [topic_id]);
    assert_eq!(snapshot.topics.iter().map(|(_, sums)| sums.partition_count).collect::<Vec<_>>(), [1]);
    assert_eq!((snapshot.partition_row_count(), snapshot.partitions_left_out), (1, 0));
}
