//! Types, ranges and canonical texts of values.

use super::*;

fn setting(kind: Kind, valid: Valid) -> Setting {
    Setting::new("x", kind, "", valid)
}

#[test]
fn values_become_canonical_text() {
    let check = |kind, text: &str, expected: &str| {
        assert_eq!(setting(kind, Valid::Any).parse(text).unwrap().to_string(), expected, "{kind:?} {text:?}");
    };
    check(Kind::Boolean, "TRUE", "true");
    check(Kind::Boolean, " false ", "false");
    check(Kind::Int, "+5", "5");
    check(Kind::Int, " -5", "-5");
    check(Kind::Short, "32767", "32767");
    check(Kind::Long, "9223372036854775807", "9223372036854775807");
    check(Kind::Double, "1", "1.0");
    check(Kind::Double, ".50", "0.5");
    check(Kind::String, "  a b ", "a b");
    check(Kind::List, "", "");
    check(Kind::List, "b, a,b,,c", "b,a,c");
    check(Kind::Password, "p", "p");
}

#[test]
fn what_is_not_of_the_type_is_refused() {
    let check = |kind, text: &str, reason: &str| {
        let fault = setting(kind, Valid::Any).parse(text).unwrap_err().to_string();
        assert!(fault.contains(reason), "{fault}");
    };
    check(Kind::Boolean, "yes", "it must be true or false");
    check(Kind::Boolean, "", "it must be true or false");
    check(Kind::Int, "2147483648", "32 bits");
    check(Kind::Int, "1.0", "32 bits");
    check(Kind::Int, "", "32 bits");
    check(Kind::Short, "32768", "16 bits");
    check(Kind::Long, "99999999999999999999", "64 bits");
    check(Kind::Long, "10k", "64 bits");
    check(Kind::Double, "NaN", "decimal number");
    check(Kind::Double, "inf", "decimal number");
}

#[test]
fn ranges_include_their_ends() {
    let least = setting(Kind::Int, Valid::AtLeast(4));
    check(least, "4", None);
    check(least, "3", Some("invalid value \"3\" for x: it must be at least 4"));
    let between = setting(Kind::Long, Valid::Between(1, 17));
    check(between, "1", None);
    check(between, "17", None);
    check(between, "18", Some("invalid value \"18\" for x: it must be between 1 and 17"));
    let gzip = setting(Kind::Int, Valid::BetweenOrMinusOne(1, 9));
    check(gzip, "-1", None);
    check(gzip, "9", None);
    check(gzip, "0", Some("invalid value \"0\" for x: it must be between 1 and 9, or -1"));
    let fraction = setting(Kind::Double, Valid::Fraction);
    check(fraction, "0", None);
    check(fraction, "1", None);
    check(fraction, "1.01", Some("invalid value \"1.01\" for x: it must be between 0 and 1"));
}

#[test]
fn words_are_among_those_allowed() {
    let one = setting(Kind::String, Valid::OneOf(&["CreateTime", "LogAppendTime"]));
    check(one, "CreateTime", None);
    check(
        one,
        "createtime",
        Some("invalid value \"createtime\" for x: it must be one of CreateTime, LogAppendTime"),
    );
    let each = setting(Kind::List, Valid::EachOf(&["compact", "delete"]));
    check(each, "", None);
    check(each, "delete,compact", None);
    check(
        each,
        "delete,x",
        Some("invalid value \"delete,x\" for x: each element must be one of compact, delete"),
    );
}

#[test]
fn throttled_replicas_are_pairs_or_a_star() {
    let throttled = setting(Kind::List, Valid::ThrottledReplicas);
    for text in ["", "*", "0:0", "0:1,1:0"] {
        check(throttled, text, None);
    }
    for text in ["x", "0", "0:", "*,0:1", "0:-1", "0:1:2"] {
        assert!(throttled.parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn what_is_not_here_accepts_its_default_only() {
    let refused = Setting::new("tier", Kind::Boolean, "false", Valid::Any)
        .effect(Effect::Refused { reason: "there is none" });
    check(refused, "false", None);
    check(refused, "FALSE", None);
    check(refused, "true", Some("tier=true is not supported: there is none"));
}

#[test]
fn a_value_of_megabytes_is_read_and_refused_at_once() {
    let pairs: String = (0..100_000).map(|partition| format!("{partition}:0,")).collect();
    let throttled = setting(Kind::List, Valid::ThrottledReplicas);
    assert_eq!(throttled.parse(&pairs).unwrap().to_string().len(), pairs.len() - 1);
    let fault = throttled.parse(&format!("é{pairs}")).unwrap_err().to_string();
    assert!(fault.len() < 400, "{}", fault.len());
}

#[test]
fn a_password_stays_out_of_the_error() {
    let secret = setting(Kind::Password, Valid::OneOf(&["a"]));
    check(secret, "hunter2", Some("invalid value \"[hidden]\" for x: it must be one of a"));
}

fn check(setting: Setting, text: &str, fault: Option<&str>) {
    assert_eq!(setting.parse(text).err().map(|fault| fault.to_string()).as_deref(), fault);
}
