//! Line plots as SVG.

use std::fmt::Write as _;

use super::escape;
use crate::outcome::digits;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 28.0;

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Evenly.
    Linear,
    /// Each power of ten takes as much room.
    Logarithm,
    /// Percentiles: 0 is the least value, 1 the 90th, 2 the 99th, 3 the 99.9th.
    Nines,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it is of.
    pub name: String,
    /// Its colour.
    pub colour: &'static str,
    /// Where it goes.
    pub points: Vec<(f64, f64)>,
}

/// Lines on two axes.
#[derive(Debug, Clone)]
pub struct Plot {
    title: String,
    x: Scale,
    y: Scale,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy)]
struct Scale {
    axis: Axis,
    min: f64,
    max: f64,
}

impl Scale {
    fn of(axis: Axis, values: impl Iterator<Item = f64> + Clone) -> Scale {
        let max = values.clone().fold(f64::MIN, f64::max);
        let min = values.fold(f64::MAX, f64::min);
        match axis {
            Axis::Linear => Scale { axis, min: 0.0, max: if max > 0.0 { max * 1.05 } else { 1.0 } },
            Axis::Nines => Scale { axis, min: 0.0, max: max.max(1.0) },
            Axis::Logarithm => {
                let (min, max) = (min.log10().floor(), max.log10().ceil());
                Scale { axis, min, max: if max > min { max } else { min + 1.0 } }
            }
        }
    }

    /// Where a value lies, 0 to 1.
    fn part(&self, value: f64) -> f64 {
        let value = if self.axis == Axis::Logarithm { value.log10() } else { value };
        (value - self.min) / (self.max - self.min)
    }

    /// Values that are written beside the axis.
    fn marks(&self) -> Vec<(f64, String)> {
        match self.axis {
            Axis::Linear => {
                let step = nice_step(self.max / 4.0);
                let count = (self.max / step) as usize;
                (0..=count).map(|i| i as f64 * step).map(|value| (value, digits(value))).collect()
            }
            Axis::Logarithm => {
                let powers = self.min as i32..=self.max as i32;
                powers.map(|power| 10_f64.powi(power)).map(|value| (value, digits(value))).collect()
            }
            Axis::Nines => {
                let name = |nines: usize| match nines {
                    0 => "0".to_owned(),
                    1 => "90".to_owned(),
                    2 => "99".to_owned(),
                    more => format!("99.{}", "9".repeat(more - 2)),
                };
                (0..=self.max as usize).map(|nines| (nines as f64, name(nines))).collect()
            }
        }
    }
}

/// The next of 1, 2, 5, 10, 20, 50 …
fn nice_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|step| *step >= rough).unwrap_or(10.0 * power)
}

impl Plot {
    /// A plot of these lines; `None` of none.
    pub fn of(title: &str, x: Axis, y: Axis, lines: Vec<Line>) -> Option<Plot> {
        let points = || lines.iter().flat_map(|line| &line.points);
        points().next()?;
        let x = Scale::of(x, points().map(|(x, _)| *x));
        let y = Scale::of(y, points().map(|(_, y)| *y));
        Some(Plot { title: title.to_owned(), x, y, lines })
    }

    /// Draws it.
    pub fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
             <text x=\"8\" y=\"16\" font-weight=\"600\">{}</text>\n",
            escape(&self.title)
        );
        let x_at = |value: f64| LEFT + self.x.part(value) * (WIDTH - LEFT - RIGHT);
        let y_at = |value: f64| HEIGHT - BOTTOM - self.y.part(value) * (HEIGHT - TOP - BOTTOM);
        for (value, name) in self.y.marks() {
            let y = y_at(value);
            let (right, beside, below) = (WIDTH - RIGHT, LEFT - 6.0, y + 4.0);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#e2e2e2\"/><text x=\"{beside}\" y=\"{below:.1}\" text-anchor=\"end\">{name}</text>"
            );
        }
        for (value, name) in self.x.marks() {
            let (x, y) = (x_at(value), HEIGHT - 10.0);
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{name}</text>");
        }
        for (index, line) in self.lines.iter().enumerate() {
            let (x, colour, name) = (8.0 + 130.0 * index as f64, line.colour, escape(&line.name));
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"24\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{}\" y=\"33\">{name}</text>",
                x + 14.0
            );
            let path: Vec<String> =
                line.points.iter().map(|(x, y)| format!("{:.1},{:.1}", x_at(*x), y_at(*y))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>",
                path.join(" ")
            );
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_numbers() {
        for (axis, values, expected) in [
            (Axis::Linear, vec![3.0, 930.0], "0 500"),
            (Axis::Linear, vec![0.0], "0 0.500 1.00"),
            (Axis::Logarithm, vec![0.3, 40.0], "0.100 1.00 10.0 100"),
            (Axis::Logarithm, vec![1.0], "1.00 10.0"),
            (Axis::Nines, vec![3.7], "0 90 99 99.9"),
        ] {
            let marks = Scale::of(axis, values.iter().copied()).marks();
            let names: Vec<String> = marks.into_iter().map(|(_, name)| name).collect();
            assert_eq!(names.join(" "), expected, "{axis:?} {values:?}");
        }
    }

    #[test]
    fn every_point_lies_within_the_drawing() {
        let line = Line { name: "a".into(), colour: "#000", points: vec![(0.0, 0.2), (2.5, 80.0)] };
        let svg = Plot::of("t", Axis::Nines, Axis::Logarithm, vec![line]).unwrap().svg();
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        for point in points.split(' ') {
            let (x, y) = point.split_once(',').unwrap();
            assert!((LEFT..=WIDTH).contains(&x.parse().unwrap()), "{point}");
            assert!((0.0..=HEIGHT - BOTTOM).contains(&y.parse().unwrap()), "{point}");
        }
        assert!(Plot::of("t", Axis::Linear, Axis::Linear, vec![]).is_none());
    }
}
