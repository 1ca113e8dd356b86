//! What a group remembers is bounded, and tells how long things took.

use std::sync::Arc;

use protocol::Uuid;

use super::*;
use crate::config::ServerConfig;
use crate::metadata::Image;

fn image() -> Image {
    Image::empty(Arc::new(ServerConfig::new(Vec::new(), "machine").unwrap()), "c")
}

fn at(image: &Image, now_ms: i64) -> Env<'_> {
    Env { now_ms, wall_ms: 1_000_000 + now_ms, fresh_id: Uuid::ZERO, image }
}

fn joined(member: &str) -> Why {
    Why::of(CauseKind::MemberJoined.now(), member)
}

#[test]
fn the_newest_sixteen_are_kept() {
    let (image, mut history) = (image(), History::default());
    for number in 0..40 {
        history.begin(&at(&image, number), joined("m"));
        history.end(&at(&image, number + 5), number as i32, 1);
    }
    let generations: Vec<i32> = history.rebalances().map(|one| one.generation).collect();
    assert_eq!(generations, (24..40).rev().collect::<Vec<_>>());
}

#[test]
fn one_that_begins_anew_before_its_end_is_told_as_such() {
    let (image, mut history) = (image(), History::default());
    history.begin(&at(&image, 10), joined("a"));
    history.also();
    history.begin(&at(&image, 30), joined("b"));
    history.end(&at(&image, 35), 2, 2);
    let told = history.tell().rebalances;
    assert_eq!((told[0].took_ms, told[0].is_superseded, told[0].members_after), (5, false, 2));
    assert_eq!((told[1].took_ms, told[1].is_superseded, told[1].generation), (20, true, -1));
    assert_eq!((told[1].further, told[1].began_ms), (1, 1_000_010));
}

#[test]
fn the_slowest_is_who_was_waited_for_longest() {
    let (image, mut history) = (image(), History::default());
    history.arrived(&at(&image, 0), "nobody waits", Awaited::Join);
    history.begin(&at(&image, 0), joined("a"));
    history.arrived(&at(&image, 10), "b", Awaited::Join);
    history.arrived(&at(&image, 900), "c", Awaited::Join);
    history.awaited("b", 200, Awaited::Assignment);
    history.end(&at(&image, 1100), 1, 3);
    assert_eq!(history.rebalances().next().unwrap().slowest, Some(("c".to_owned(), 900, Awaited::Join)));
}

#[test]
fn one_under_way_has_no_duration_yet() {
    let (image, mut history) = (image(), History::default());
    history.begin(&at(&image, 0), joined("a"));
    assert!(history.is_open());
    assert_eq!((history.tell().rebalances[0].took_ms, history.tell().rebalances[0].generation), (-1, -1));
}

#[test]
fn members_own_words_are_cut_at_a_character() {
    let why = joined("a").because(Some(&"ä".repeat(200)));
    assert_eq!(why.reason.map(|reason| reason.len()), Some(254));
    assert_eq!(joined("a").because(None).reason, None);
}

#[test]
fn members_names_are_cut_too_for_they_may_be_of_any_length() {
    let (image, mut history) = (image(), History::default());
    let long = "m".repeat(1_000_000);
    history.begin(&at(&image, 0), joined(&long));
    history.arrived(&at(&image, 10), &long, Awaited::Reconciliation);
    history.on_commit(&at(&image, 10), &long);
    let told = history.tell();
    let slowest = told.rebalances[0].slowest.as_ref().unwrap();
    let lens = [told.rebalances[0].member.len(), slowest.0.len(), told.last_commit.unwrap().1.len()];
    assert_eq!(lens, [255; 3]);
}
