//! Where a broker is: a host and a port, as people write them.

use std::fmt;
use std::str::FromStr;

/// The port of Kafka's that is meant where none is said.
const DEFAULT_PORT: u16 = 9092;

/// A host name or address, and a port. An IPv6 address is written in brackets: `[::1]:9092`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// A name, or an address without brackets.
    pub host: String,
    /// Never 0.
    pub port: u16,
}

impl Address {
    /// The addresses in a list such as `a:9092,b:9092`.
    pub fn parse_list(text: &str) -> Result<Vec<Address>, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let addresses: Vec<Address> = parts.map(str::parse).collect::<Result<_, _>>()?;
        if addresses.is_empty() {
            return Err("no address is given: write HOST:PORT, several with commas between them".to_owned());
        }
        Ok(addresses)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = |why: &str| format!("{text:?} is no address: {why}");
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (host, after) = rest.split_once(']').ok_or_else(|| wrong("the bracket is not closed"))?;
            (host, after.strip_prefix(':').or(if after.is_empty() { Some("") } else { None }))
        } else {
            match text.split_once(':') {
                Some((_, rest)) if rest.contains(':') => {
                    return Err(wrong("an IPv6 address is written in brackets, as [::1]:9092"));
                }
                Some((host, port)) => (host, Some(port).filter(|port| !port.is_empty())),
                None => (text, Some("")),
            }
        };
        let port = match port.ok_or_else(|| wrong("write HOST:PORT"))? {
            "" => DEFAULT_PORT,
            port => port.parse().map_err(|_| wrong("a port is a number from 1 to 65535"))?,
        };
        if host.is_empty() || port == 0 || host.contains(|c: char| c.is_whitespace() || c == '/') {
            return Err(wrong("write HOST:PORT"));
        }
        Ok(Address { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        check("localhost:9092", Some("localhost:9092"));
        check("kafka-1.example.org", Some("kafka-1.example.org:9092"));
        check("127.0.0.1:1", Some("127.0.0.1:1"));
        check("[::1]:9093", Some("[::1]:9093"));
        check("[fe80::1]", Some("[fe80::1]:9092"));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "", ":9092", "a:", "a:0", "a:70000", "a:b", "::1", "::1:9092", "[::1", "[::1]x", "a b:1",
            "http://a",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_list_has_one_address_at_least() {
        assert_eq!(Address::parse_list("a:1, b:2,").map(|list| list.len()), Ok(2));
        assert!(Address::parse_list(" , ").is_err());
        assert!(Address::parse_list("a:1,b:x").is_err());
    }

    fn check(text: &str, expected: Option<&str>) {
        let read = text.parse::<Address>().ok().map(|address| address.to_string());
        assert_eq!(read.as_deref(), expected, "{text}");
    }
}
