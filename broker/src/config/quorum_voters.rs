//! `controller.quorum.voters`: the nodes that found the metadata quorum, in Kafka's words: `id@host:port`, several by comma.

use std::collections::BTreeSet;

use super::listener::Endpoint;
use super::setting::{InvalidSetting, list_elements};

/// The setting.
pub const NAME: &str = "controller.quorum.voters";

/// A node that founds the quorum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundingVoter {
    /// Its number.
    pub id: i32,
    /// Where the other nodes reach it.
    pub endpoint: Endpoint,
}

/// Whether each element is one, and no number stands twice.
pub fn check(text: &str) -> Result<(), String> {
    parse(text).map(|_| ())
}

/// The founders, as they stand there.
pub fn parse(text: &str) -> Result<Vec<FoundingVoter>, String> {
    let voters: Vec<FoundingVoter> =
        list_elements(text).iter().map(|text| parse_one(text)).collect::<Result<_, _>>()?;
    let ids: BTreeSet<i32> = voters.iter().map(|voter| voter.id).collect();
    if ids.len() < voters.len() {
        return Err("each node once: a number stands twice".to_owned());
    }
    Ok(voters)
}

fn parse_one(text: &str) -> Result<FoundingVoter, String> {
    let fault = || "id@host:port for each node, such as 1@10.0.0.1:9093".to_owned();
    let (id, endpoint) = text.split_once('@').ok_or_else(fault)?;
    let id = id.parse().ok().filter(|id| *id >= 0).ok_or_else(fault)?;
    let endpoint = Endpoint::parse(endpoint).map_err(|_| fault())?;
    if endpoint.port == 0 || endpoint.is_any_interface() {
        return Err(fault());
    }
    Ok(FoundingVoter { id, endpoint })
}

/// Whether this node is one of the founders, and lets the others in.
pub fn check_node(
    voters: &[FoundingVoter],
    node_id: i32,
    peer_listen: &[Endpoint],
) -> Result<(), InvalidSetting> {
    let conflict = |reason: String| Err(InvalidSetting::Conflict { reason });
    if voters.is_empty() {
        return Ok(());
    }
    if !voters.iter().any(|voter| voter.id == node_id) {
        return conflict(format!("{NAME} does not name node {node_id}, which is this one (node.id)"));
    }
    if voters.len() > 1 && peer_listen.is_empty() {
        return conflict(format!(
            "{NAME} names other nodes: ringlog.peer.listen has to say where they connect"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn founders_are_numbers_with_addresses() {
        let voters = parse("1@10.0.0.1:9093, 2@[::1]:9094").unwrap();
        assert_eq!(voters.iter().map(|voter| voter.id).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(voters[1].endpoint.host, "::1");
        assert_eq!(parse(""), Ok(Vec::new()));
        for wrong in ["10.0.0.1:9093", "x@h:1", "-1@h:1", "1@h", "1@:9093", "1@h:0", "1@h:1,1@h:2"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_node_that_is_no_founder_or_lets_nobody_in_is_refused() {
        let voters = parse("1@h:1,2@h:2").unwrap();
        let open = [Endpoint::parse(":9093").unwrap()];
        assert!(check_node(&voters, 1, &open).is_ok());
        assert!(check_node(&voters, 3, &open).is_err());
        assert!(check_node(&voters, 1, &[]).is_err());
        assert!(check_node(&voters[..1], 1, &[]).is_ok());
        assert!(check_node(&[], 3, &[]).is_ok());
    }
}
