//! `ringlog group`, and reading as a member of one.

use std::io::{BufRead, BufReader};
use std::process::Command;

use crate::place::{Place, Said};

#[test]
fn a_group_reads_on_where_it_stopped() {
    let place = Place::start("group-reads");
    place.ok("topic create a -p 2");
    place.ok_with("produce a -p 0", b"1\n2\n3\n");
    assert_eq!(place.ok("group list"), "there are no groups\n");
    assert_eq!(place.ok("consume a -e --group g"), "1\n2\n3\n");
    assert_eq!(place.ok("consume a -e --group g"), "");
    place.ok_with("produce a -p 0", b"4\n5\n");
    assert_eq!(place.ok("consume a -e --group g --max 1"), "4\n");
    assert_eq!(
        place.ok("group list"),
        "GROUP  PROTOCOL  STATE  ASSIGNOR  MEMBERS\ng      classic   Empty  -               0\n"
    );
    let said = place.ok("group describe g");
    assert!(
        said.starts_with("group g\n  state        Empty\n  protocol     classic, assignor -\n"),
        "{said}"
    );
    assert!(said.contains("\n  lag          1 record, the oldest "), "{said}");
    assert!(said.contains("\n  a              0          4      0    5    1 "), "{said}");
    assert_eq!(place.ok("consume a -e --group g"), "5\n");
    place.refused("group describe nobody", 1, "group nobody: there is no such group");
}

#[test]
fn offsets_are_reset_as_planned() {
    let place = Place::start("group-reset");
    place.ok("topic create a -p 2");
    place.ok_with("produce a -p 0", b"1\n2\n3\n4\n");
    let plan = place.ok("group reset-offsets g --topic a --to latest --dry-run");
    assert_eq!(
        plan,
        "TOPIC  PARTITION  FROM  TO  NOTE\na              0  -      4\na              1  -      0\n\
         nothing was changed: this is what would be done\n"
    );
    place.refused("group describe g", 1, "there is no such group");
    place.ok("group reset-offsets g --topic a --to latest");
    let reset = place.ok("group reset-offsets g --topic a:0 --to shift:-3 --json");
    let partition = "{\"topic\":\"a\",\"partition\":0,\"from\":4,\"to\":1,\"note\":null}";
    assert_eq!(reset, format!("{{\"group\":\"g\",\"done\":true,\"partitions\":[{partition}]}}\n"));
    assert_eq!(place.ok("consume a -e --group g"), "2\n3\n4\n");
    let reset = place.ok("group reset-offsets g --all-topics --to offset:9");
    assert!(reset.contains("a              0     4   4  moved back to the log's end\n"), "{reset}");
    place.ok("group reset-offsets g --all-topics --to 1h");
    assert_eq!(place.ok("consume a -e --group g"), "1\n2\n3\n4\n");
    place.ok("topic delete-records a --before offset:2 -p 0 --yes");
    place.ok("group reset-offsets g --topic a:0 --to earliest");
    assert_eq!(place.ok("consume a -e --group g"), "3\n4\n");
    place.refused("group reset-offsets g --to earliest", 2, "--all-topics");
    place.refused("group reset-offsets new --all-topics --to earliest", 1, "has committed nothing");
    place.refused("group reset-offsets g --topic a:7 --to earliest", 1, "topic a has no partition 7");
}

#[test]
fn a_group_with_members_is_not_pulled_from_under_them() {
    let place = Place::start("group-busy");
    place.ok("topic create a -p 1");
    place.ok_with("produce a", b"1\n");
    let mut member = place.spawn("consume a --group g");
    let mut out = BufReader::new(member.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "1\n");
    place.refused("group reset-offsets g --topic a --to earliest", 1, "stop them first");
    place.refused("group delete g --yes", 1, "the group has members: stop them first");
    let json: serde_json::Value = serde_json::from_str(&place.ok("group describe g --json")).unwrap();
    let group = &json["groups"][0];
    assert_eq!(group["state"], "Stable");
    assert_eq!(group["assignor"], "range");
    assert_eq!(group["members"][0]["client"], "ringlog-cli");
    assert_eq!(group["members"][0]["partitions"]["a"][0], 0);
    assert_eq!(group["partitions"][0]["member"], group["members"][0]["member"]);
    interrupt(&member);
    let said = Said::of(member.wait_with_output().unwrap());
    assert_eq!((said.status, said.err.as_str()), (0, ""), "Ctrl-C ends it in order");
    // It has left, and committed before: nobody waits for its session to end.
    let said = place.ok("group describe g");
    assert!(said.contains("state        Empty") && said.contains("lag          0 records"), "{said}");
    assert_eq!(place.ok("group delete g --yes"), "deleted group g\n");
    place.refused("group delete g --yes", 1, "GROUP_ID_NOT_FOUND");
    assert_eq!(place.ok("group delete g --yes --if-exists --json"), "{\"deleted\":[]}\n");
}

#[test]
fn an_offset_outside_of_the_log_is_said_as_such() {
    let place = Place::start("group-outside");
    place.ok("topic create a -p 1");
    place.ok_with("produce a", b"1\n2\n3\n");
    place.ok("group reset-offsets g --topic a --to offset:1");
    place.ok("topic delete-records a --before offset:2 --yes");
    let said = place.ok("group describe g");
    assert!(said.contains("1 were deleted before they were read"), "{said}");
    assert!(said.contains("lag          1 record,"), "{said}");
}

/// As Ctrl-C does, by the ordinary program: sending signals is no part of the standard library.
fn interrupt(child: &std::process::Child) {
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(done.success());
}
