//! Listeners: where the broker accepts connections, and what it tells clients to connect to.
//!
//! The syntax is Kafka's: `NAME://host:port`, several by comma. A host is a name, an IPv4 address or an
//! IPv6 address in brackets; an empty one means every interface. A name that is given twice is one listener
//! on two addresses. Each listener has its own advertised address, because what reaches the broker depends
//! on where the client stands.
//!
//! Of the protocols only PLAINTEXT is here; another one is refused, never served in the clear.

use std::fmt;
use std::net::Ipv6Addr;

use super::setting::InvalidSetting;

/// A host and a port, as configured; what a name resolves to is not known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// A name or an address, without brackets; empty means every interface.
    pub host: String,
    /// 0 means any free port.
    pub port: u16,
}

/// One named way in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// In upper case, as Kafka compares it.
    pub name: String,
    /// Where it accepts; at least one. A name stands for every address that it resolves to, IPv4 and IPv6.
    pub binds: Vec<Endpoint>,
    /// What clients that came in here are told. Port 0 means the port that the listener got.
    pub advertised: Endpoint,
}

const SYNTAX: &str = "NAME://host:port, where an IPv6 address stands in brackets";

impl Endpoint {
    /// `host:port`, `:port`, `[v6]:port`.
    pub fn parse(text: &str) -> Result<Endpoint, String> {
        let fault = || "host:port, where an IPv6 address stands in brackets".to_string();
        let (host, port) = text.rsplit_once(':').ok_or_else(fault)?;
        let port = port.parse().map_err(|_| fault())?;
        let host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(v6) if v6.parse::<Ipv6Addr>().is_ok() => v6,
            Some(_) => return Err(fault()),
            None if host.contains([':', '/', '[', ']', ',']) || host.contains(char::is_whitespace) => {
                return Err(fault());
            }
            None => host,
        };
        Ok(Endpoint { host: host.to_string(), port })
    }

    /// Whether it stands for every interface, hence for no address that a client could use.
    pub fn is_any_interface(&self) -> bool {
        self.host.is_empty()
            || self.host == "0.0.0.0"
            || self.host.parse::<Ipv6Addr>().is_ok_and(|v6| v6.is_unspecified())
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// `NAME://host:port`.
pub fn parse_named(text: &str) -> Result<(String, Endpoint), String> {
    let (name, endpoint) = text.split_once("://").ok_or(SYNTAX)?;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')) {
        return Err(SYNTAX.to_string());
    }
    Ok((name.to_ascii_uppercase(), Endpoint::parse(endpoint).map_err(|_| SYNTAX)?))
}

/// Checks a comma-separated list of [`parse_named`].
pub(super) fn check_named_list(text: &str) -> Result<(), String> {
    text.split(',').try_for_each(|element| parse_named(element.trim()).map(|_| ()))
}

/// Checks a comma-separated list of [`Endpoint::parse`]; an empty one is none.
pub(super) fn check_endpoints(text: &str) -> Result<(), String> {
    let elements = text.split(',').map(str::trim).filter(|element| !element.is_empty());
    elements.map(Endpoint::parse).try_for_each(|parsed| parsed.map(|_| ()))
}

/// Checks `NAME:PROTOCOL`, several by comma.
pub(super) fn check_protocol_map(text: &str) -> Result<(), String> {
    const PROTOCOLS: &[&str] = &["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"];
    let fits = |pair: &str| {
        pair.split_once(':').is_some_and(|(name, protocol)| {
            !name.trim().is_empty() && PROTOCOLS.contains(&protocol.trim().to_ascii_uppercase().as_str())
        })
    };
    if text.split(',').all(fits) {
        return Ok(());
    }
    Err(format!("NAME:PROTOCOL, several by comma, with a protocol of {}", PROTOCOLS.join(", ")))
}

/// Puts `listeners`, `advertised.listeners` and the protocol map together; each text has passed its own
/// check.
///
/// `machine_name` is what a listener on every interface advertises unless told.
pub(super) fn plan_listeners(
    listeners: &[String],
    advertised: &[String],
    protocol_map: &str,
    machine_name: &str,
) -> Result<Vec<Listener>, InvalidSetting> {
    let mut planned: Vec<Listener> = Vec::new();
    for text in listeners {
        let (name, bind) = parse_named(text).map_err(|reason| invalid("listeners", text, reason))?;
        check_protocol(&name, text, protocol_map)?;
        let taken = planned.iter().flat_map(|listener| &listener.binds).any(|other| *other == bind);
        if taken && bind.port != 0 {
            return Err(invalid("listeners", text, format!("{bind} is there already")));
        }
        match planned.iter_mut().find(|listener| listener.name == name) {
            Some(listener) => listener.binds.push(bind),
            None => planned.push(Listener {
                name,
                advertised: default_advertised(&bind, machine_name),
                binds: vec![bind],
            }),
        }
    }
    if planned.is_empty() {
        return Err(invalid("listeners", "", "there must be at least one".to_string()));
    }
    let mut named = Vec::new();
    for text in advertised {
        let refuse = |reason: String| Err(invalid("advertised.listeners", text, reason));
        let (name, endpoint) =
            parse_named(text).map_err(|reason| invalid("advertised.listeners", text, reason))?;
        if endpoint.is_any_interface() || endpoint.port == 0 {
            return refuse("clients need an address and a port that they can connect to".to_string());
        }
        if named.contains(&name) {
            return refuse(format!("{name} has one advertised address only"));
        }
        let Some(listener) = planned.iter_mut().find(|listener| listener.name == name) else {
            return refuse(format!("there is no listener {name}"));
        };
        listener.advertised = endpoint;
        named.push(name);
    }
    Ok(planned)
}

fn check_protocol(name: &str, text: &str, protocol_map: &str) -> Result<(), InvalidSetting> {
    let protocol = protocol_map.split(',').find_map(|pair| {
        let (mapped, protocol) = pair.split_once(':')?;
        mapped.trim().eq_ignore_ascii_case(name).then(|| protocol.trim())
    });
    match protocol {
        Some(protocol) if protocol.eq_ignore_ascii_case("PLAINTEXT") => Ok(()),
        Some(_) => Err(InvalidSetting::Refused {
            name: "listeners".to_string(),
            value: text.to_string(),
            reason: "PLAINTEXT is the only protocol that works here",
        }),
        None => Err(invalid(
            "listeners",
            text,
            format!("its protocol is not known; add {name}:PLAINTEXT to listener.security.protocol.map"),
        )),
    }
}

fn default_advertised(bind: &Endpoint, machine_name: &str) -> Endpoint {
    let host = if bind.is_any_interface() { machine_name } else { &bind.host };
    Endpoint { host: host.to_string(), port: bind.port }
}

fn invalid(name: &str, value: &str, reason: String) -> InvalidSetting {
    InvalidSetting::Value { name: name.to_string(), value: value.to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_and_shown() {
        let check = |text: &str, host: &str, port| {
            let endpoint = Endpoint::parse(text).unwrap();
            assert_eq!((endpoint.host.as_str(), endpoint.port), (host, port), "{text}");
            assert_eq!(endpoint.to_string(), text);
        };
        check("localhost:9092", "localhost", 9092);
        check(":9092", "", 9092);
        check("127.0.0.1:1", "127.0.0.1", 1);
        check("[::1]:9092", "::1", 9092);
        check("[::]:0", "::", 0);
        for text in [
            "",
            "localhost",
            "9092",
            "::1:9092",
            "[::1]",
            "[x]:1",
            "a:70000",
            "a:-1",
            "a b:1",
            "a/b:1",
            "[::1:1",
        ] {
            assert!(Endpoint::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_are_compared_in_upper_case() {
        assert_eq!(parse_named("plaintext://a:1").unwrap().0, "PLAINTEXT");
        for text in ["a:1", "://a:1", "A B://a:1", "PLAINTEXT://a", "PLAINTEXT//a:1"] {
            assert!(parse_named(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn each_listener_advertises_its_own_address() {
        check("PLAINTEXT://localhost:9092", "", "PLAINTEXT localhost:9092 > localhost:9092");
        check("PLAINTEXT://:9092", "", "PLAINTEXT :9092 > box:9092");
        check("PLAINTEXT://0.0.0.0:9092", "", "PLAINTEXT 0.0.0.0:9092 > box:9092");
        check("PLAINTEXT://[::]:9092", "PLAINTEXT://[::1]:19", "PLAINTEXT [::]:9092 > [::1]:19");
        check(
            "IN://:9092,OUT://:9093",
            "out://example.org:443",
            "IN :9092 > box:9092; OUT :9093 > example.org:443",
        );
        check("IN://10.0.0.1:1,IN://[::1]:1", "", "IN 10.0.0.1:1 [::1]:1 > 10.0.0.1:1");
        check("IN://a:0,OUT://a:0", "", "IN a:0 > a:0; OUT a:0 > a:0");
    }

    #[test]
    fn contradictions_are_refused() {
        check_refused("IN://:9092,OUT://:9092", "", ":9092 is there already");
        check_refused("", "", "at least one");
        check_refused("OTHER://:1", "", "add OTHER:PLAINTEXT to listener.security.protocol.map");
        check_refused("SECURE://:1", "", "PLAINTEXT is the only protocol");
        check_refused("IN://:1", "OUT://a:1", "there is no listener OUT");
        check_refused("IN://:1", "IN://:1", "clients need an address");
        check_refused("IN://:1", "IN://0.0.0.0:1", "clients need an address");
        check_refused("IN://:1", "IN://a:0", "clients need an address");
        check_refused("IN://:1", "IN://a:1,IN://b:1", "one advertised address only");
    }

    #[test]
    fn protocol_maps_are_checked() {
        assert_eq!(check_protocol_map("IN:PLAINTEXT, OUT : sasl_ssl"), Ok(()));
        for text in ["", "IN", "IN:", ":PLAINTEXT", "IN:TLS", "IN:PLAINTEXT,"] {
            assert!(check_protocol_map(text).is_err(), "{text:?}");
        }
    }

    fn plan(listeners: &str, advertised: &str) -> Result<Vec<Listener>, InvalidSetting> {
        use crate::config::setting::list_elements;
        let map = "PLAINTEXT:PLAINTEXT,IN:plaintext, OUT: PLAINTEXT,SECURE:SSL";
        plan_listeners(&list_elements(listeners), &list_elements(advertised), map, "box")
    }

    fn check(listeners: &str, advertised: &str, expected: &str) {
        let shown: Vec<String> = plan(listeners, advertised)
            .unwrap()
            .iter()
            .map(|listener| {
                let binds: Vec<String> = listener.binds.iter().map(Endpoint::to_string).collect();
                format!("{} {} > {}", listener.name, binds.join(" "), listener.advertised)
            })
            .collect();
        assert_eq!(shown.join("; "), expected);
    }

    fn check_refused(listeners: &str, advertised: &str, reason: &str) {
        let fault = plan(listeners, advertised).unwrap_err().to_string();
        assert!(fault.contains(reason), "{fault}");
    }
}
