//! What members may ask for, and where it ends: timeouts, names, ids, and what a group sets itself.

use super::*;

#[test]
fn names_that_a_record_has_no_room_for_are_refused() {
    let mut rig = Rig::new(26);
    let (fits, too_long) = ("x".repeat(32_767 - 37), "x".repeat(32_767 - 36));
    for (name, is_allowed) in [(&fits, true), (&too_long, false)] {
        let asked = Join { client_id: name.clone(), needs_id: true, ..join("") };
        assert_eq!(rig.ask("g", GroupAsk::Join(asked)).is_ok(), is_allowed);
        let asked = Join { instance: Some(name.clone()), ..join("") };
        let number = rig.send("g", GroupAsk::Join(asked));
        assert_eq!(rig.replies.remove(&number).is_none(), is_allowed, "it waits for others, or is refused");
    }
    let heartbeats = [
        joining(&"x".repeat(32_768)),
        ConsumerHeartbeat { instance: Some("x".repeat(32_768)), ..joining("a") },
        ConsumerHeartbeat { regex: Some("x".repeat(32_768)), ..joining("a") },
    ];
    for asked in heartbeats {
        let reply = rig.ask("other", GroupAsk::ConsumerHeartbeat(Box::new(asked)));
        assert!(matches!(reply, Ok(GroupAnswer::Refused(ErrorCode::InvalidRequest, _))), "{reply:?}");
    }
    assert!(rig.ask("other", GroupAsk::ConsumerHeartbeat(Box::new(joining(&"x".repeat(32_767))))).is_ok());
}

#[test]
fn ids_that_are_given_out_have_an_end() {
    let mut rig = Rig::new(27);
    let ask = |rig: &mut Rig| {
        let asked = Join { needs_id: true, ..join("") };
        let Ok(GroupAnswer::MemberId(id)) = rig.ask("g", GroupAsk::Join(asked)) else { panic!("no id") };
        id
    };
    let first = ask(&mut rig);
    rig.pass_ms(1);
    let second = ask(&mut rig);
    for _ in 0..4_095 {
        ask(&mut rig);
    }
    rig.check(GroupAsk::Join(join(&first)), Err(ErrorCode::UnknownMemberId));
    let number = rig.send("g", GroupAsk::Join(join(&second)));
    assert!(!rig.replies.contains_key(&number), "it waits for others");
}

#[test]
fn q85_session_timeouts_have_limits() {
    let mut rig = Rig::new(2);
    for (session_timeout_ms, is_allowed) in
        [(5_999, false), (6_000, true), (1_800_000, true), (1_800_001, false)]
    {
        let asked = Join { session_timeout_ms, needs_id: true, ..join("") };
        let reply = rig.ask("g", GroupAsk::Join(asked));
        assert_eq!(reply.is_ok(), is_allowed, "{session_timeout_ms}");
    }
}

#[test]
fn a_groups_own_settings_count_from_the_next_heartbeat() {
    let mut rig = Rig::new(25);
    let beaten = |rig: &mut Rig, asked| match rig.ask("g", GroupAsk::ConsumerHeartbeat(Box::new(asked))) {
        Ok(GroupAnswer::Beaten(beaten)) => Ok(beaten.interval_ms),
        Ok(GroupAnswer::Refused(error, _)) => Err(error),
        other => panic!("not a heartbeat's answer: {other:?}"),
    };
    assert_eq!(beaten(&mut rig, joining("a")), Ok(5_000));
    let settings = [("consumer.session.timeout.ms", "60000"), ("consumer.heartbeat.interval.ms", "7000")];
    for (name, value) in settings {
        let value = Some(value.to_owned());
        rig.image.apply(&Metadata::GroupConfig { group: "g".into(), name: name.into(), value });
    }
    assert_eq!(beaten(&mut rig, beat("a", 1)), Ok(7_000));
    rig.pass_ms(59_000);
    assert_eq!(rig.state(), "Stable", "45 s were the broker's");
    rig.pass_ms(1_000);
    assert_eq!(rig.state(), "Empty");
    // Another group is as before.
    let reply = rig.ask("other", GroupAsk::ConsumerHeartbeat(Box::new(joining("a"))));
    assert!(matches!(reply, Ok(GroupAnswer::Beaten(beaten)) if beaten.interval_ms == 5_000));
}
