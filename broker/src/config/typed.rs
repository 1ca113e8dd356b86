//! From a setting's value to the type that the code reads: computed once, when a configuration is made.

use super::setting::Value;

/// A type that a checked [`Value`] turns into. The tables guarantee that it fits, so a misfit is a bug and
/// panics.
pub(super) trait FromValue: Sized {
    fn from_value(value: &Value) -> Self;
}

fn misfit(value: &Value) -> ! {
    panic!("a getter's type does not fit its setting: {value:?}")
}

/// The whole number of an Int, Short or Long.
fn whole(value: &Value) -> i64 {
    match value {
        Value::Int(int) => i64::from(*int),
        Value::Long(long) => *long,
        Value::Boolean(_) | Value::Double(_) | Value::Text(_) | Value::List(_) => misfit(value),
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> bool {
        if let Value::Boolean(boolean) = value { *boolean } else { misfit(value) }
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> f64 {
        if let Value::Double(double) = value { *double } else { misfit(value) }
    }
}

impl FromValue for i32 {
    fn from_value(value: &Value) -> i32 {
        whole(value).try_into().unwrap_or_else(|_| misfit(value))
    }
}

impl FromValue for u32 {
    fn from_value(value: &Value) -> u32 {
        whole(value).try_into().unwrap_or_else(|_| misfit(value))
    }
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> i64 {
        whole(value)
    }
}

impl FromValue for u64 {
    fn from_value(value: &Value) -> u64 {
        whole(value).try_into().unwrap_or_else(|_| misfit(value))
    }
}

/// A limit in milliseconds, where a negative number means that there is none.
impl FromValue for Option<i64> {
    fn from_value(value: &Value) -> Option<i64> {
        Some(whole(value)).filter(|&limit| limit >= 0)
    }
}

/// A limit in bytes, where a negative number means that there is none.
impl FromValue for Option<u64> {
    fn from_value(value: &Value) -> Option<u64> {
        whole(value).try_into().ok()
    }
}

/// Declares a struct with one field and one getter a setting, and how it is read from values.
///
/// One declaration for the three, so that a setting cannot have a field without its getter or the other way
/// round.
macro_rules! typed_settings {
    ($(#[$head:meta])* struct $name:ident {
        $($(#[$note:meta])* $field:ident: $type:ty = $setting:literal,)*
    }) => {
        $(#[$head])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $($field: $type,)* }

        impl $name {
            /// The settings that have a getter.
            #[cfg(test)]
            pub(super) const NAMES: &[&str] = &[$($setting),*];

            fn read(value_of: impl Fn(&'static str) -> $crate::config::setting::Value) -> $name {
                $name { $($field: $crate::config::typed::FromValue::from_value(&value_of($setting)),)* }
            }

            $(
                #[doc = concat!("`", $setting, "`.")]
                $(#[$note])*
                pub fn $field(&self) -> $type { self.$field }
            )*
        }
    };
}
pub(super) use typed_settings;
