//! Rust text that walks the error codes of a response: whoever counts them need not know the message.

use std::fmt::Write;

use crate::generator::emit::field_name;
use crate::generator::schema::{Field, Kind, Message, Shape, Struct};

/// Kafka's name for the field.
const ERROR_CODE: &str = "ErrorCode";

/// The method that shows every error code in a struct of a response; nothing where there is none.
pub fn each_error_fn(message: &Message, one: &Struct) -> String {
    if message.kind != Kind::Response || !has_errors(message, one) {
        return String::new();
    }
    let mut body = String::new();
    for field in &one.fields {
        let name = field_name(field);
        if is_error(field) {
            let _ = writeln!(body, "on(self.{name});");
        } else if below(message, field).is_some_and(|below| has_errors(message, below)) {
            let is_array = matches!(field.shape, Shape::Array(_));
            let _ = match (is_array, field.nullable.is_empty()) {
                (true, true) => writeln!(body, "for one in &self.{name} {{ one.each_error(on); }}"),
                (true, false) => {
                    writeln!(body, "for one in self.{name}.iter().flatten() {{ one.each_error(on); }}")
                }
                (false, true) => writeln!(body, "self.{name}.each_error(on);"),
                (false, false) => writeln!(body, "if let Some(one) = &self.{name} {{ one.each_error(on); }}"),
            };
        }
    }
    let (public, doc) = if one.name == message.name {
        ("", "")
    } else {
        ("pub ", "/// Shows every error code in it, 0 for none among them.\n")
    };
    format!("\n{doc}{public}fn each_error(&self, on: &mut dyn FnMut(i16)) {{ {body} }}\n")
}

fn is_error(field: &Field) -> bool {
    field.name == ERROR_CODE && field.shape == Shape::Int16
}

fn has_errors(message: &Message, one: &Struct) -> bool {
    one.fields
        .iter()
        .any(|field| is_error(field) || below(message, field).is_some_and(|below| has_errors(message, below)))
}

/// The struct that a field holds, or holds many of.
fn below<'a>(message: &'a Message, field: &Field) -> Option<&'a Struct> {
    let name = match &field.shape {
        Shape::Struct(name) => name,
        Shape::Array(of) => match &**of {
            Shape::Struct(name) => name,
            _ => return None,
        },
        _ => return None,
    };
    message.structs.iter().find(|one| one.name == *name)
}
