//! What a setting is: its name, type, default, valid values, documentation, and what Ringlog does with it.
//!
//! The tables (`topic_table`, `server_table`) hold one [`Setting`] per name and nothing else knows a
//! default or a range. A value is kept as its canonical text: trimmed, lists without duplicates, numbers
//! without a plus sign; this is what Kafka shows after it has parsed a value, so a client that compares
//! what it set with what it reads sees no drift.

use std::collections::BTreeSet;
use std::fmt;

/// The type of a setting's value; the numbers are `ConfigType` of DescribeConfigs (KIP-569).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum Kind {
    Boolean = 1,
    String = 2,
    Int = 3,
    Short = 4,
    Long = 5,
    Double = 6,
    List = 7,
    Class = 8,
    Password = 9,
}

impl Kind {
    /// `config_type` on the wire.
    pub fn code(self) -> i8 {
        self as i8
    }
}

/// Which values of the right type are allowed.
#[derive(Debug, Clone, Copy)]
pub enum Valid {
    Any,
    AtLeast(i64),
    /// Both ends included.
    Between(i64, i64),
    /// -1 stands for "choose for me".
    BetweenOrMinusOne(i64, i64),
    /// 0 to 1, both included.
    Fraction,
    OneOf(&'static [&'static str]),
    /// Each element of a list.
    EachOf(&'static [&'static str]),
    /// `*`, or a list of `partition:broker`.
    ThrottledReplicas,
    /// A syntax of its own, whose reason for refusal completes "… must be …".
    Syntax(fn(&str) -> Result<(), String>),
}

/// What Ringlog does with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It does what it says.
    Works,
    /// Accepted, kept and shown; it is about other replicas, and there are none.
    Stored,
    /// Only the default is accepted, because what another value asks for does not exist here.
    Refused { reason: &'static str },
}

/// When a setting may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    AtRunTime,
    /// Read once when the broker starts; clients see it as read-only.
    AtStart,
}

/// One row of a table of settings.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub name: &'static str,
    pub kind: Kind,
    /// Kafka's text of the default; `None` is Kafka's null.
    pub default: Option<&'static str>,
    pub valid: Valid,
    pub effect: Effect,
    pub change: Change,
    /// Of a topic setting: the server settings that give its value where the topic does not, first one
    /// first.
    pub server_names: &'static [&'static str],
    /// Of a server setting: the topic setting whose value it gives where a topic does not.
    pub topic_name: Option<&'static str>,
    pub about: &'static str,
}

/// A value that its setting accepts. Displays as its canonical text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Boolean(bool),
    Int(i32),
    Long(i64),
    Double(f64),
    Text(String),
    List(Vec<String>),
}

/// How the tables are written: a row that works and may change at run time, then what differs.
impl Setting {
    pub(super) const fn new(name: &'static str, kind: Kind, default: &'static str, valid: Valid) -> Setting {
        Setting {
            name,
            kind,
            default: Some(default),
            valid,
            effect: Effect::Works,
            change: Change::AtRunTime,
            server_names: &[],
            topic_name: None,
            about: "",
        }
    }

    pub(super) const fn without_default(mut self) -> Setting {
        self.default = None;
        self
    }

    pub(super) const fn effect(mut self, effect: Effect) -> Setting {
        self.effect = effect;
        self
    }

    pub(super) const fn stored(self) -> Setting {
        self.effect(Effect::Stored)
    }

    pub(super) const fn at_start(mut self) -> Setting {
        self.change = Change::AtStart;
        self
    }

    pub(super) const fn server(mut self, names: &'static [&'static str]) -> Setting {
        self.server_names = names;
        self
    }

    pub(super) const fn about(mut self, about: &'static str) -> Setting {
        self.about = about;
        self
    }
}

impl Setting {
    /// Reads `text` as a value of this setting, or says what is allowed.
    pub fn parse(&self, text: &str) -> Result<Value, InvalidSetting> {
        let value = self.parse_kind(text.trim()).and_then(|value| match self.complaint(&value) {
            None => Ok(value),
            Some(reason) => Err(reason),
        });
        let value = value.map_err(|reason| InvalidSetting::Value {
            name: self.name.to_string(),
            value: if self.is_sensitive() { "[hidden]".to_string() } else { excerpt(text) },
            reason,
        })?;
        match self.effect {
            Effect::Refused { reason } if Some(value.to_string().as_str()) != self.default => {
                Err(InvalidSetting::Refused { name: self.name.to_string(), value: value.to_string(), reason })
            }
            Effect::Refused { .. } | Effect::Works | Effect::Stored => Ok(value),
        }
    }

    /// The default as a value; `None` where Kafka has null. A default that its own row refuses is a bug.
    pub fn default_value(&self) -> Option<Value> {
        self.default
            .map(|text| self.parse(text).unwrap_or_else(|fault| panic!("default of a setting: {fault}")))
    }

    /// Whether clients never see its value.
    pub fn is_sensitive(&self) -> bool {
        self.kind == Kind::Password
    }

    /// The documentation, with a sentence on what Ringlog does where that is not simply what the setting
    /// says.
    pub fn documentation(&self) -> String {
        let default_for = self.topic_name.map(|name| format!("Default of the topic setting `{name}`. "));
        let caveat = match self.effect {
            Effect::Works => String::new(),
            Effect::Stored => {
                " Ringlog keeps and shows the value; with one replica there is nothing for it to act on."
                    .to_string()
            }
            Effect::Refused { reason } => format!(" Ringlog accepts the default only: {reason}."),
        };
        format!("{}{}{caveat}", default_for.unwrap_or_default(), self.about)
    }

    fn parse_kind(&self, text: &str) -> Result<Value, String> {
        let number = |what: &str| format!("a whole number of {what} is needed");
        match self.kind {
            Kind::Boolean if text.eq_ignore_ascii_case("true") => Ok(Value::Boolean(true)),
            Kind::Boolean if text.eq_ignore_ascii_case("false") => Ok(Value::Boolean(false)),
            Kind::Boolean => Err("it must be true or false".to_string()),
            Kind::Int => text.parse().map(Value::Int).map_err(|_| number("32 bits")),
            Kind::Short => {
                text.parse::<i16>().map(|short| Value::Int(short.into())).map_err(|_| number("16 bits"))
            }
            Kind::Long => text.parse().map(Value::Long).map_err(|_| number("64 bits")),
            Kind::Double => match text.parse::<f64>() {
                Ok(double) if double.is_finite() => Ok(Value::Double(double)),
                _ => Err("a decimal number is needed".to_string()),
            },
            Kind::List => Ok(Value::List(list_elements(text))),
            Kind::String | Kind::Class | Kind::Password => Ok(Value::Text(text.to_string())),
        }
    }

    /// What is wrong with a value of the right type, if anything.
    fn complaint(&self, value: &Value) -> Option<String> {
        let unless = |good: bool, reason: String| (!good).then_some(reason);
        match (self.valid, value) {
            (Valid::Any, _) => None,
            (Valid::AtLeast(least), value) => {
                unless(value.whole()? >= least, format!("it must be at least {least}"))
            }
            (Valid::Between(least, most), value) => unless(
                (least..=most).contains(&value.whole()?),
                format!("it must be between {least} and {most}"),
            ),
            (Valid::BetweenOrMinusOne(least, most), value) => unless(
                value.whole()? == -1 || (least..=most).contains(&value.whole()?),
                format!("it must be between {least} and {most}, or -1"),
            ),
            (Valid::Fraction, Value::Double(double)) => {
                unless((0.0..=1.0).contains(double), "it must be between 0 and 1".to_string())
            }
            (Valid::OneOf(allowed), value) => unless(
                allowed.contains(&value.to_string().as_str()),
                format!("it must be one of {}", allowed.join(", ")),
            ),
            (Valid::EachOf(allowed), Value::List(elements)) => unless(
                elements.iter().all(|element| allowed.contains(&element.as_str())),
                format!("each element must be one of {}", allowed.join(", ")),
            ),
            (Valid::ThrottledReplicas, Value::List(elements)) => unless(
                elements == &["*"] || elements.iter().all(|element| is_partition_and_broker(element)),
                "it must be * or a list of partition:broker".to_string(),
            ),
            (Valid::Syntax(check), value) => {
                check(&value.to_string()).err().map(|reason| format!("it must be {reason}"))
            }
            (Valid::Fraction | Valid::EachOf(_) | Valid::ThrottledReplicas, _) => {
                unreachable!("{}: the valid values do not fit the type", self.name)
            }
        }
    }
}

/// The elements of a list's text, each once, in their first order. Kafka drops duplicates too.
pub fn list_elements(text: &str) -> Vec<String> {
    let elements = text.split(',').map(str::trim).filter(|element| !element.is_empty());
    let mut seen = BTreeSet::new();
    elements.filter(|element| seen.insert(*element)).map(str::to_string).collect()
}

/// Enough of a text to recognise it. A client may send megabytes, and the answer repeats what was wrong.
pub(super) fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn is_partition_and_broker(text: &str) -> bool {
    let is_id = |id: &str| id.parse::<i32>().is_ok_and(|id| id >= 0);
    text.split_once(':').is_some_and(|(partition, broker)| is_id(partition) && is_id(broker))
}

impl Value {
    fn whole(&self) -> Option<i64> {
        match self {
            Value::Int(int) => Some((*int).into()),
            Value::Long(long) => Some(*long),
            Value::Boolean(_) | Value::Double(_) | Value::Text(_) | Value::List(_) => {
                unreachable!("a range on a setting that is no whole number")
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Boolean(boolean) => write!(f, "{boolean}"),
            Value::Int(int) => write!(f, "{int}"),
            Value::Long(long) => write!(f, "{long}"),
            // Java writes 1.0 where `{}` would write 1.
            Value::Double(double) => write!(f, "{double:?}"),
            Value::Text(text) => f.write_str(text),
            Value::List(elements) => f.write_str(&elements.join(",")),
        }
    }
}

/// Why settings are refused. The handlers map each to a Kafka code; the text is meant for the one who typed
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidSetting {
    /// No such setting; `nearest` is the valid name that was most likely meant.
    Unknown { name: String, nearest: Option<&'static str> },
    /// A setting of Kafka that does not apply here, and what to do about it.
    Absent { name: String, reason: &'static str },
    /// The value is not allowed.
    Value { name: String, value: String, reason: String },
    /// The value asks for something that Ringlog does not have.
    Refused { name: String, value: String, reason: &'static str },
    /// Two settings contradict each other.
    Conflict { reason: String },
    /// The same setting twice in one request or one file.
    Duplicate { name: String },
    /// A value is needed.
    NullValue { name: String },
    /// APPEND and SUBTRACT are for lists.
    NotAList { name: String },
    /// The setting can change at a start only.
    ReadOnly { name: String },
}

impl InvalidSetting {
    /// The setting that is at fault, unless the fault lies between several.
    pub fn name(&self) -> Option<&str> {
        match self {
            InvalidSetting::Unknown { name, .. }
            | InvalidSetting::Absent { name, .. }
            | InvalidSetting::Value { name, .. }
            | InvalidSetting::Refused { name, .. }
            | InvalidSetting::Duplicate { name }
            | InvalidSetting::NullValue { name }
            | InvalidSetting::NotAList { name }
            | InvalidSetting::ReadOnly { name } => Some(name),
            InvalidSetting::Conflict { .. } => None,
        }
    }
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidSetting::Unknown { name, nearest: None } => write!(f, "unknown setting {name}"),
            InvalidSetting::Unknown { name, nearest: Some(nearest) } => {
                write!(f, "unknown setting {name}: did you mean {nearest}?")
            }
            InvalidSetting::Absent { name, reason } => write!(f, "{name} does not apply here: {reason}"),
            InvalidSetting::Value { name, value, reason } => {
                write!(f, "invalid value \"{value}\" for {name}: {reason}")
            }
            InvalidSetting::Refused { name, value, reason } => {
                write!(f, "{name}={value} is not supported: {reason}")
            }
            InvalidSetting::Conflict { reason } => f.write_str(reason),
            InvalidSetting::Duplicate { name } => write!(f, "{name} is set more than once"),
            InvalidSetting::NullValue { name } => write!(f, "{name} needs a value"),
            InvalidSetting::NotAList { name } => {
                write!(f, "{name} is not a list, so nothing can be appended or subtracted")
            }
            InvalidSetting::ReadOnly { name } => {
                write!(f, "{name} cannot change while the broker runs; set it in the file and start again")
            }
        }
    }
}

impl std::error::Error for InvalidSetting {}

#[cfg(test)]
mod tests;
