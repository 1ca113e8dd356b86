//! Moments and durations as people write them, and back. All times are UTC unless an offset is written.
//!
//! - a moment: `2026-11-30T14:05:00Z`, `2026-11-30 14:05`, `2026-11-30`, with `+02:00` for another zone; `now`;
//!   `2h ago` or `-2h`; and the milliseconds since 1970, which have 12 digits or more;
//! - a duration: `500ms`, `90s`, `15m`, `2h30m`, `1d`, `2w`.

const SECOND_MS: i64 = 1000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Fewer digits are no date of today: rather an offset that somebody forgot to call so.
const UNIX_MS_DIGITS_MIN: usize = 12;

/// How a moment may be written, for messages.
pub const MOMENT_FORMS: &str = "2026-11-30T14:05:00Z, 2026-11-30, \"2h ago\", -2h or milliseconds since 1970";

/// Reads a moment, in ms since 1970; `now_ms` is what `ago` starts from.
pub fn parse_moment(text: &str, now_ms: i64) -> Result<i64, String> {
    let text = text.trim();
    let ago = text.strip_suffix("ago").map(str::trim_end).or(text.strip_prefix('-'));
    if text == "now" {
        return Ok(now_ms);
    }
    if let Some(duration) = ago {
        return Ok(now_ms.saturating_sub(parse_duration(duration)?));
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        if text.len() < UNIX_MS_DIGITS_MIN {
            return Err(format!(
                "{text} is neither a time nor called an offset: write offset:{text}, or {MOMENT_FORMS}"
            ));
        }
        return text.parse().map_err(|_| format!("{text} is beyond all times"));
    }
    parse_date(text).ok_or_else(|| format!("{text:?} is no time: write {MOMENT_FORMS}"))
}

/// Reads a duration in ms: numbers with units, largest first by custom, not by rule.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let wrong = || format!("{text:?} is no duration: write 500ms, 90s, 15m, 2h30m, 1d or 2w");
    let mut rest = text.trim();
    let mut total: i64 = 0;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at(letters);
        let unit_ms = match unit {
            "ms" => 1,
            "s" | "sec" => SECOND_MS,
            "m" | "min" => MINUTE_MS,
            "h" => HOUR_MS,
            "d" => DAY_MS,
            "w" => 7 * DAY_MS,
            _ => return Err(wrong()),
        };
        let number: i64 = number.parse().map_err(|_| wrong())?;
        total = number.checked_mul(unit_ms).and_then(|ms| total.checked_add(ms)).ok_or_else(wrong)?;
        rest = after.trim_start();
    }
    Ok(total)
}

/// Reads a date (RFC 3339, also without its time, seconds or zone).
fn parse_date(text: &str) -> Option<i64> {
    let (date, rest) = text.split_at_checked("2026-11-30".len())?;
    let [year, month, day] = numbers_of(date, '-')?;
    let is_date = date.len() == 10 && (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
    if !is_date || date.as_bytes()[4] != b'-' || date.as_bytes()[7] != b'-' {
        return None;
    }
    let midnight = days_since_1970(year, month, day) * DAY_MS;
    if rest.is_empty() {
        return Some(midnight);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let zone_at = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone_at);
    Some(midnight + time_ms(time)? - zone_ms(zone)?)
}

/// `14:05`, `14:05:07` or `14:05:07.123`, ms after midnight.
fn time_ms(text: &str) -> Option<i64> {
    let (time, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let has_seconds = time.len() == "14:05:07".len();
    let [hour, minute, second] = match has_seconds {
        true => numbers_of(time, ':')?,
        false if time.len() == "14:05".len() && time.len() == text.len() => {
            numbers_of(&format!("{time}:00"), ':')?
        }
        false => return None,
    };
    if hour > 23 || minute > 59 || second > 60 || fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit());
    let ms = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok().filter(|_| is_fraction)?;
    Some(hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + ms)
}

/// `Z`, nothing, or `+02:00`.
fn zone_ms(text: &str) -> Option<i64> {
    match text {
        "" | "Z" | "z" => Some(0),
        _ => {
            let sign = if text.starts_with('-') { -1 } else { 1 };
            let [hour, minute, _] = numbers_of(&format!("{}:00", text.get(1..)?), ':')?;
            (text.len() == "+02:00".len() && hour <= 23 && minute <= 59)
                .then_some(sign * (hour * HOUR_MS + minute * MINUTE_MS))
        }
    }
}

/// Three numbers of digits only.
fn numbers_of(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut numbers = [0; 3];
    let mut parts = text.split(separator);
    for number in &mut numbers {
        let part = parts.next().filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Counted from 1 March, leap days come last in their year.
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month_from_march + 2) / 5 + day - 1 - 719_468
}

/// The last moment whose year has four digits, ms since 1970.
const DATE_MS_MAX: i64 = 253_402_300_799_999;

/// A moment in ms since 1970 as a date (UTC, RFC 3339); as the number where no calendar has it.
pub fn date_of(ms: i64) -> String {
    if !(0..=DATE_MS_MAX).contains(&ms) {
        return ms.to_string();
    }
    let (days, within) = (ms / DAY_MS, ms % DAY_MS);
    // The calendar repeats every 400 years; counted from 1 March, leap days come last in their year.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute, second) = (within / HOUR_MS, within / MINUTE_MS % 60, within / SECOND_MS % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", within % 1000)
}

/// A duration for people, in its two largest units: `2h 5m`, `3.2s`, `120ms`.
pub fn duration_text(ms: i64) -> String {
    let two = |large: i64, large_unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{large_unit}"),
        _ => format!("{large}{large_unit} {small}{small_unit}"),
    };
    if ms < SECOND_MS {
        format!("{ms}ms")
    } else if ms < MINUTE_MS {
        format!("{}.{}s", ms / SECOND_MS, ms % SECOND_MS / 100)
    } else if ms < HOUR_MS {
        two(ms / MINUTE_MS, "m", ms % MINUTE_MS / SECOND_MS, "s")
    } else if ms < DAY_MS {
        two(ms / HOUR_MS, "h", ms % HOUR_MS / MINUTE_MS, "m")
    } else {
        two(ms / DAY_MS, "d", ms % DAY_MS / HOUR_MS, "h")
    }
}

/// The machine's clock, ms since 1970.
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_047_500_000;

    #[test]
    fn moments_are_read_as_people_write_them() {
        check("2026-11-30T14:05:00Z", "2026-11-30T14:05:00.000Z");
        check("2026-11-30T14:05:00.5Z", "2026-11-30T14:05:00.500Z");
        check("2026-11-30T14:05:00.123456789Z", "2026-11-30T14:05:00.123Z");
        check("2026-11-30T16:05:00+02:00", "2026-11-30T14:05:00.000Z");
        check("2026-11-30T09:35:00-04:30", "2026-11-30T14:05:00.000Z");
        check("2026-11-30 14:05", "2026-11-30T14:05:00.000Z");
        check("2026-11-30t14:05:09z", "2026-11-30T14:05:09.000Z");
        check("2026-11-30", "2026-11-30T00:00:00.000Z");
        check("2024-02-29", "2024-02-29T00:00:00.000Z");
        check("1970-01-01", "1970-01-01T00:00:00.000Z");
        check("1796047500000", &date_of(NOW));
        check("now", &date_of(NOW));
        check("2h ago", &date_of(NOW - 7_200_000));
        check("-2h", &date_of(NOW - 7_200_000));
        check("1d 12h ago", &date_of(NOW - 36 * HOUR_MS));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-29",
            "2026-11-31",
            "2026-00-10",
            "2026-11-30T",
            "2026-11-30T25:00",
            "2026-11-30T14:05:00+2",
            "2026-11-30T14:5",
            "2026-11-30T14:05:00.",
            "2026-11-30T14:05.5",
            "26-11-30",
            "2026/11/30",
            "ago",
            "-",
            "99999999999999999999999",
            "2026-11-3é",
        ] {
            assert!(parse_moment(text, NOW).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_small_number_is_asked_back_about() {
        let why = parse_moment("42", NOW).unwrap_err();
        assert!(why.contains("write offset:42"), "{why}");
    }

    #[test]
    fn durations_are_numbers_with_units() {
        for (text, ms) in [
            ("0s", 0),
            ("500ms", 500),
            ("90s", 90_000),
            ("15m", 900_000),
            ("2h30m", 9_000_000),
            ("1d 1h", 90_000_000),
            ("2w", 1_209_600_000),
        ] {
            assert_eq!(parse_duration(text), Ok(ms), "{text}");
        }
        for text in ["", "5", "h", "-5s", "5y", "1.5h", "9223372036854775807w", "1h x"] {
            assert!(parse_duration(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn durations_are_said_in_two_units() {
        for (ms, text) in [
            (0, "0ms"),
            (999, "999ms"),
            (3_250, "3.2s"),
            (60_000, "1m"),
            (61_000, "1m 1s"),
            (7_500_000, "2h 5m"),
            (90_000_000, "1d 1h"),
        ] {
            assert_eq!(duration_text(ms), text);
        }
    }

    #[test]
    fn dates_read_back_as_they_were_said() {
        for ms in [0, 951_782_399_999, 951_782_400_000, 1_709_164_800_000, 4_107_542_400_000, DATE_MS_MAX] {
            assert_eq!(parse_moment(&date_of(ms), NOW), Ok(ms));
        }
    }

    #[test]
    fn moments_are_dates_where_a_calendar_has_them() {
        for (ms, date) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_029_474_123, "2026-11-30T09:04:34.123Z"),
            (DATE_MS_MAX, "9999-12-31T23:59:59.999Z"),
            (DATE_MS_MAX + 1, "253402300800000"),
            (-1, "-1"),
            (i64::MIN, "-9223372036854775808"),
        ] {
            assert_eq!(date_of(ms), date);
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(parse_moment(text, NOW).map(date_of), Ok(expected.to_owned()), "{text}");
    }
}
