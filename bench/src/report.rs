//! Outcomes for people: one HTML page that needs no network, and Markdown for a README.

mod plot;

use std::fmt::Write as _;

use crate::compare::{Row, Spread, names, rows, table};
use crate::outcome::{Distribution, Outcome, date, digits};
use plot::{Axis, Line, Plot};

/// Colours that are told apart, also by those who see few.
const COLOURS: [&str; 6] = ["#0b6e99", "#d9730d", "#448361", "#9065b0", "#c14c8a", "#6b6b6b"];

/// A table for each scenario, and where the figures come from.
pub fn markdown(outcomes: &[Outcome]) -> String {
    let (scenarios, brokers) = names(outcomes);
    let mut text = String::new();
    for scenario in scenarios {
        let of: Vec<&Outcome> = outcomes.iter().filter(|one| one.scenario == scenario).collect();
        let _ = writeln!(text, "### {scenario}\n\n{}\n", of[0].about);
        text += &table(&of, pair(&brokers));
        for remark in remarks(&of) {
            let _ = writeln!(text, "\n{remark}");
        }
        text.push('\n');
    }
    text + &origin(outcomes) + "\n"
}

fn pair<'a>(brokers: &[&'a str]) -> [&'a str; 2] {
    [brokers[0], brokers.get(1).copied().unwrap_or("–")]
}

fn remarks(outcomes: &[&Outcome]) -> Vec<String> {
    let each = outcomes
        .iter()
        .flat_map(|one| one.remarks().into_iter().map(|said| format!("{}: {said}", one.broker)));
    each.collect()
}

/// When and where: figures without that say nothing.
fn origin(outcomes: &[Outcome]) -> String {
    let first = &outcomes[0];
    let last = outcomes.iter().map(|one| one.unix_seconds).max().unwrap_or(0);
    let runs = outcomes.len();
    format!("{runs} runs, {} to {}, on {}.", date(first.unix_seconds), date(last), first.machine)
}

/// The page.
pub fn html(outcomes: &[Outcome]) -> String {
    let (scenarios, brokers) = names(outcomes);
    let mut body =
        format!("<h1>{}</h1>\n<p>{}</p>\n", escape(&brokers.join(" and ")), escape(&origin(outcomes)));
    for scenario in scenarios {
        let of: Vec<&Outcome> = outcomes.iter().filter(|one| one.scenario == scenario).collect();
        section(&mut body, scenario, &of, &brokers);
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>ringlog-bench</title>\n<style>{STYLE}</style>\n<body>\n{body}</body></html>\n"
    )
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}\
    table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd}\
    td:first-child,th:first-child{text-align:left}.better{color:#2a7a4b;font-weight:600}.worse{color:#b3402a;font-weight:600}\
    .plots{display:flex;flex-wrap:wrap;gap:1rem}svg{background:#fafafa}svg text{font:11px system-ui,sans-serif;fill:#444}\
    small{color:#777}";

fn section(body: &mut String, scenario: &str, of: &[&Outcome], brokers: &[&str]) {
    let _ = writeln!(body, "<h2>{}</h2>\n<p>{}</p>", escape(scenario), escape(&of[0].about));
    html_table(body, &rows(of, pair(brokers)), pair(brokers));
    for remark in remarks(of) {
        let _ = writeln!(body, "<p class=\"worse\">{}</p>", escape(&remark));
    }
    body.push_str("<div class=\"plots\">\n");
    for plot in [
        latency_curve(of, brokers),
        throughput(of, brokers),
        latency_over_time(of, brokers),
        memory(of, brokers),
    ] {
        body.push_str(&plot.map(|plot| plot.svg()).unwrap_or_default());
    }
    body.push_str("</div>\n");
}

fn html_table(body: &mut String, rows: &[Row], labels: [&str; 2]) {
    let [a, b] = labels.map(escape);
    let _ = writeln!(body, "<table><tr><th></th><th>{a}</th><th>{b}</th><th>ratio</th></tr>");
    let cell = |spread: &Option<Spread>| {
        spread.map_or("–".to_owned(), |s| {
            format!("{} <small>{}–{}</small>", digits(s.median), digits(s.min), digits(s.max))
        })
    };
    for row in rows {
        let class = match &row.ratio {
            Some(ratio) if ratio.median == 1.0 => "",
            Some(ratio) if (ratio.median > 1.0) == row.more_is_better => "better",
            Some(_) => "worse",
            None => "",
        };
        let [a, b] = row.sides.map(|side| cell(&side));
        let (name, ratio) = (escape(&row.name), cell(&row.ratio));
        let _ = writeln!(
            body,
            "<tr><td>{name}</td><td>{a}</td><td>{b}</td><td class=\"{class}\">{ratio}</td></tr>"
        );
    }
    body.push_str("</table>\n");
}

/// A line a broker; `points` gives a broker's from its runs.
fn lines<'a>(
    of: &[&'a Outcome],
    brokers: &[&str],
    points: impl Fn(&[&'a Outcome]) -> Vec<(f64, f64)>,
) -> Vec<Line> {
    let line = |(index, broker): (usize, &&str)| {
        let runs: Vec<&Outcome> = of.iter().copied().filter(|one| one.broker == **broker).collect();
        Line { name: (*broker).to_owned(), colour: COLOURS[index % COLOURS.len()], points: points(&runs) }
    };
    let all = brokers.iter().enumerate().map(line);
    all.filter(|line| !line.points.is_empty()).collect()
}

fn latency_of(outcome: &Outcome) -> &Distribution {
    if outcome.end_to_end.count() > 0 { &outcome.end_to_end } else { &outcome.acknowledged }
}

/// Latency by percentile, all rounds together, drawn so that each further nine takes as much room.
fn latency_curve(of: &[&Outcome], brokers: &[&str]) -> Option<Plot> {
    let points = |runs: &[&Outcome]| {
        let pooled = Distribution::pooled(runs.iter().map(|one| latency_of(one)));
        if pooled.count() == 0 {
            return Vec::new();
        }
        let nines_max = (pooled.count() as f64).log10().min(6.0);
        let steps = (nines_max * 20.0) as usize;
        let at = |step: usize| {
            let nines = step as f64 / 20.0;
            (nines, pooled.quantile(1.0 - 10_f64.powf(-nines)) as f64 / 1e6)
        };
        (0..=steps).map(at).filter(|(_, ms)| *ms > 0.0).collect()
    };
    let title = "latency by percentile, ms (all rounds together)";
    Plot::of(title, Axis::Nines, Axis::Logarithm, lines(of, brokers, points))
}

fn throughput(of: &[&Outcome], brokers: &[&str]) -> Option<Plot> {
    let points = |runs: &[&Outcome]| by_second(runs, |row| row.bytes as f64 / (1 << 20) as f64);
    Plot::of("MiB/s over time (mean of rounds)", Axis::Linear, Axis::Linear, lines(of, brokers, points))
}

fn latency_over_time(of: &[&Outcome], brokers: &[&str]) -> Option<Plot> {
    let points = |runs: &[&Outcome]| {
        let mut points = by_second(runs, |row| row.latency_ns[2] as f64 / 1e6);
        points.retain(|(_, ms)| *ms > 0.0);
        points
    };
    let title = "p99.9 of each second, ms (mean of rounds)";
    Plot::of(title, Axis::Linear, Axis::Logarithm, lines(of, brokers, points))
}

fn memory(of: &[&Outcome], brokers: &[&str]) -> Option<Plot> {
    let points = |runs: &[&Outcome]| {
        let mut points = by_second(runs, |row| row.resident_bytes as f64 / (1 << 20) as f64);
        points.retain(|(_, mib)| *mib > 0.0);
        points
    };
    let title = "the broker's resident memory over time, MiB (mean of rounds)";
    Plot::of(title, Axis::Linear, Axis::Linear, lines(of, brokers, points))
}

/// The mean over runs of something of each second; the last one, which is not whole, is left out.
fn by_second(runs: &[&Outcome], value: impl Fn(&crate::outcome::SecondRow) -> f64) -> Vec<(f64, f64)> {
    let longest = runs.iter().map(|one| one.per_second.len()).max().unwrap_or(0);
    let mean = |second: usize| {
        let seen: Vec<f64> = runs.iter().filter_map(|one| one.per_second.get(second)).map(&value).collect();
        (second as f64, seen.iter().sum::<f64>() / seen.len() as f64)
    };
    (0..longest.saturating_sub(1)).map(mean).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::tests::outcome;

    #[test]
    fn a_page_has_everything_in_itself() {
        let mut slow = outcome("<slow>", &[10, 20, 40]);
        slow.unanswered = 3;
        let page = html(&[outcome("fast", &[1, 2, 3]), slow]);
        assert!(page.contains("<svg") && page.contains("tail-1k") && page.contains("&lt;slow&gt;"));
        assert!(page.contains("NOT SUSTAINED"));
        for outside in ["http://", "https://", "<script", "<link", "<slow>"] {
            let found = page.replace("http://www.w3.org/2000/svg", "").contains(outside);
            assert!(!found, "{outside}");
        }
    }

    #[test]
    fn markdown_says_where_and_when() {
        let text = markdown(&[outcome("a", &[1, 2, 3]), outcome("b", &[1, 2, 3])]);
        assert!(text.starts_with("### tail-1k\n\nEnd to end\n\n| | a | b | ratio |"), "{text}");
        assert!(text.ends_with("2 runs, 2026-11-30 to 2026-11-30, on a machine.\n"), "{text}");
    }
}
