//! Who votes, and who is about to: the content of a VotersRecord (KIP-853), with a tagged field of ours.
//!
//! ```text
//! version int16 │ voters [] │ tags { 21065: learners [] }
//! voter: id int32 │ directory uuid │ endpoints [ name, host, port uint16 ] │ kraft.version min int16, max int16
//! ```
//! A learner gets the log and does not vote: a new voter is one until it has caught up. Kafka has no word for it in this
//! record, and skips the tag.

use std::collections::BTreeMap;

use protocol::{DecodeError, Decoder, Encoder, Uuid};
use raft::eraftpb::ConfState;

/// The same tag as elsewhere in Ringlog's extensions: "RI" as a number.
const LEARNERS_TAG: u32 = 21065;

/// The only version of VotersRecord.
const RECORD_VERSION: i16 = 0;

/// The newest `kraft.version` that a voter of ours can do: dynamic voters.
const KRAFT_VERSION_MAX: i16 = 1;

/// A node's number in its cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub i32);

impl NodeId {
    /// As Raft counts: zero is nobody there.
    pub(crate) fn to_raft(self) -> u64 {
        assert!(self.0 >= 0, "node ids are not negative");
        self.0 as u64 + 1
    }

    /// From what [`NodeId::to_raft`] gave; nothing for nobody.
    pub(crate) fn from_raft(id: u64) -> Option<NodeId> {
        i32::try_from(id.checked_sub(1)?).ok().map(NodeId)
    }
}

/// Where a voter is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The listener's name.
    pub name: String,
    /// A host name or an address.
    pub host: String,
    /// A port.
    pub port: u16,
}

/// A node of the quorum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// Its number.
    pub id: NodeId,
    /// Its directory's id, which tells a node from one that has its number and another disk; zero if it was not known when the
    /// quorum was founded.
    pub directory_id: Uuid,
    /// Where it is reached.
    pub endpoints: Vec<Endpoint>,
}

/// The nodes of a quorum. Nobody is both a voter and a learner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    voters: BTreeMap<NodeId, Voter>,
    learners: BTreeMap<NodeId, Voter>,
}

impl Members {
    /// A quorum of these voters.
    pub fn of(voters: impl IntoIterator<Item = Voter>) -> Members {
        let voters = voters.into_iter().map(|voter| (voter.id, voter)).collect();
        Members { voters, learners: BTreeMap::new() }
    }

    /// Those that vote, by id.
    pub fn voters(&self) -> impl ExactSizeIterator<Item = &Voter> {
        self.voters.values()
    }

    /// Those that are to vote when they have caught up, by id.
    pub fn learners(&self) -> impl ExactSizeIterator<Item = &Voter> {
        self.learners.values()
    }

    /// The voter with this number.
    pub fn voter(&self, id: NodeId) -> Option<&Voter> {
        self.voters.get(&id)
    }

    /// The learner with this number.
    pub fn learner(&self, id: NodeId) -> Option<&Voter> {
        self.learners.get(&id)
    }

    /// Whether a node gets the log.
    pub fn has(&self, id: NodeId) -> bool {
        self.voters.contains_key(&id) || self.learners.contains_key(&id)
    }

    /// Whether this node decides alone.
    pub fn is_only_voter(&self, id: NodeId) -> bool {
        self.voters.len() == 1 && self.voters.contains_key(&id)
    }

    pub(crate) fn with_learner(&self, voter: Voter) -> Members {
        let mut members = self.clone();
        members.learners.insert(voter.id, voter);
        members
    }

    pub(crate) fn with_voter(&self, voter: Voter) -> Members {
        let mut members = self.clone();
        members.learners.remove(&voter.id);
        members.voters.insert(voter.id, voter);
        members
    }

    pub(crate) fn without(&self, id: NodeId) -> Members {
        let mut members = self.clone();
        members.learners.remove(&id);
        members.voters.remove(&id);
        members
    }

    /// The same as Raft says it.
    pub(crate) fn to_raft(&self) -> ConfState {
        ConfState {
            voters: self.voters.keys().map(|id| id.to_raft()).collect(),
            learners: self.learners.keys().map(|id| id.to_raft()).collect(),
            ..ConfState::default()
        }
    }

    /// The content of the record.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut e = Encoder::new();
        e.i16(RECORD_VERSION);
        encode_voters(&mut e, &self.voters);
        let mut tags = e.tags();
        if !self.learners.is_empty() {
            tags.put(&mut e, LEARNERS_TAG, |e| encode_voters(e, &self.learners));
        }
        e.into_vec()
    }

    /// Reads the content of a record.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Members, DecodeError> {
        let mut d = Decoder::new(bytes);
        let version = d.i16()?;
        if version != RECORD_VERSION {
            return Err(DecodeError::UnsupportedVersion { version });
        }
        let mut members = Members { voters: decode_voters(&mut d)?, learners: BTreeMap::new() };
        d.tags(|d, tag| {
            if tag == LEARNERS_TAG {
                members.learners = decode_voters(d)?;
            }
            Ok(tag == LEARNERS_TAG)
        })?;
        d.finish()?;
        members.learners.retain(|id, _| !members.voters.contains_key(id));
        Ok(members)
    }
}

fn encode_voters(e: &mut Encoder, voters: &BTreeMap<NodeId, Voter>) {
    let voters: Vec<&Voter> = voters.values().collect();
    e.array(&voters, true, |e, voter| {
        e.i32(voter.id.0);
        e.uuid(voter.directory_id);
        e.array(&voter.endpoints, true, |e, endpoint| {
            e.string(&endpoint.name, true);
            e.string(&endpoint.host, true);
            e.u16(endpoint.port);
            e.no_tags();
        });
        e.i16(0);
        e.i16(KRAFT_VERSION_MAX);
        e.no_tags();
        e.no_tags();
    });
}

fn decode_voters(d: &mut Decoder<'_>) -> Result<BTreeMap<NodeId, Voter>, DecodeError> {
    let voters = d.array(true, |d| {
        let at = d.position() as u32;
        let id = NodeId(d.i32()?);
        if id.0 < 0 {
            return Err(DecodeError::NegativeLength { at });
        }
        let directory_id = d.uuid()?;
        let endpoints = d.array(true, |d| {
            let name = d.string(true)?.to_owned();
            let host = d.string(true)?.to_owned();
            let endpoint = Endpoint { name, host, port: d.u16()? };
            d.skip_tags()?;
            Ok(endpoint)
        })?;
        d.i16()?;
        d.i16()?;
        d.skip_tags()?;
        d.skip_tags()?;
        Ok((id, Voter { id, directory_id, endpoints }))
    })?;
    Ok(voters.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use protocol::Message;
    use protocol::messages::voters_record::VotersRecord;

    use super::*;

    fn voter(id: i32) -> Voter {
        let endpoint = Endpoint { name: "PEER".into(), host: format!("host-{id}"), port: 9093 };
        Voter { id: NodeId(id), directory_id: Uuid::from_u128(id as u128), endpoints: vec![endpoint] }
    }

    #[test]
    fn members_come_back_as_they_were_written() {
        let members = Members::of([voter(0), voter(7)]).with_learner(voter(3));
        assert_eq!(Members::decode(&members.encode()), Ok(members));
    }

    #[test]
    fn kafka_reads_the_voters_and_skips_the_learners() {
        let bytes = Members::of([voter(1), voter(2)]).with_learner(voter(3)).encode();
        let mut d = Decoder::new(&bytes);
        let record = VotersRecord::decode(&mut d, 0).unwrap();
        d.finish().unwrap();
        let ids: Vec<i32> = record.voters.iter().map(|voter| voter.voter_id).collect();
        assert_eq!(ids, [1, 2]);
        assert_eq!(record.voters[0].endpoints[0].host, "host-1");
        assert_eq!(record.voters[0].kraft_version_feature.max_supported_version, 1);
    }

    #[test]
    fn damaged_members_are_an_error() {
        let bytes = Members::of([voter(1)]).with_learner(voter(3)).encode();
        for len in 0..bytes.len() {
            assert!(Members::decode(&bytes[..len]).is_err(), "cut at {len}");
        }
        for at in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[at] ^= 0xff;
            _ = Members::decode(&bent);
        }
    }

    #[test]
    fn a_learner_that_becomes_a_voter_is_a_learner_no_more() {
        let members = Members::of([voter(1)]).with_learner(voter(2)).with_voter(voter(2));
        assert_eq!((members.voters().len(), members.learners().len()), (2, 0));
        assert!(!members.is_only_voter(NodeId(1)));
        assert!(members.without(NodeId(1)).is_only_voter(NodeId(2)));
    }
}
