//! A classic group of consumers as a consumer group sees it, and back: see `migration`.

use super::*;
use crate::groups::embedded;
use crate::groups::record::{ClassicData, MemberData, Migrant};
use crate::groups::step::Env;
use crate::metadata::Image;

impl Classic {
    /// Its members as members of a consumer group, or why they cannot be: their words must be those of consumers.
    pub fn migrants(&self, image: &Image) -> Result<Vec<Migrant>, String> {
        if self.protocol_type.as_deref() != Some(CONSUMER) {
            return Err("is not a group of consumers".to_owned());
        }
        self.in_order().into_iter().map(|member| self.migrant(member, image)).collect()
    }

    fn migrant(&self, member: &Member, image: &Image) -> Result<Migrant, String> {
        // Before the first rebalance has ended nothing is agreed on.
        let protocol = self.protocol.as_deref().filter(|protocol| member.can_do(protocol));
        let protocol = protocol.or_else(|| Some(&*member.protocols.first()?.0)).unwrap_or_default();
        let metadata = member.metadata(protocol);
        let told = subscription(&metadata)
            .ok_or_else(|| format!("has a member {} whose subscription cannot be read", member.id))?;
        let mut assigned = embedded::read_assignment(&member.assignment, image)
            .ok_or_else(|| format!("has a member {} whose assignment cannot be read", member.id))?;
        // One that has not heard yet what it was given, or whose answer was lost, has what it had when it joined. A cooperative
        // leader has given that to nobody else.
        for (topic, partitions) in embedded::owned_partitions(&told, image) {
            assigned.entry(topic).or_default().extend(partitions);
        }
        let data = MemberData {
            instance: member.instance.clone(),
            rack: told.rack_id.map(str::to_owned),
            client_id: member.client_id.clone(),
            client_host: member.client_host.clone(),
            topics: embedded::topics(&told),
            regex: None,
            rebalance_timeout_ms: member.rebalance_timeout_ms,
            assignor: None,
            classic: Some(ClassicData {
                session_timeout_ms: member.session_timeout_ms,
                protocols: member.protocols.clone(),
            }),
        };
        Ok(Migrant { id: member.id.as_str().into(), data, assigned })
    }

    /// Answers all that wait with an error.
    pub fn send_away(&mut self, cx: &mut Context<'_>, error: ErrorCode) {
        for member in self.members.values_mut() {
            if let Waiting::Join(to) | Waiting::Sync(to) = member.waiting {
                member.waiting = Waiting::Nothing;
                cx.refuse(to, error);
            }
        }
    }

    /// A stable group of this generation, in which everyone has what it is to have. Members that do not speak the classic
    /// protocol are left out. Nobody leads until the next rebalance: nobody has been told so.
    pub fn of_migrants(env: &Env<'_>, generation: i32, migrants: Vec<Migrant>) -> Classic {
        let mut group = Classic::new(env.wall_ms);
        group.state = State::Stable;
        group.generation = generation;
        group.protocol_type = Some(CONSUMER.to_owned());
        let mut assigned = BTreeMap::new();
        for Migrant { id, data, assigned: given } in migrants {
            let Some(classic) = data.classic else { continue };
            if let Some(instance) = &data.instance {
                group.instances.insert(instance.clone(), id.to_string());
            }
            group.joined_count += 1;
            let member = Member {
                id: id.to_string(),
                instance: data.instance,
                client_id: data.client_id,
                client_host: data.client_host,
                rebalance_timeout_ms: data.rebalance_timeout_ms,
                session_timeout_ms: classic.session_timeout_ms,
                protocols: classic.protocols,
                assignment: no_bytes(),
                order: group.joined_count,
                deadline: env.now_ms + i64::from(classic.session_timeout_ms),
                is_new: false,
                waiting: Waiting::Nothing,
            };
            assigned.insert(member.id.clone(), given);
            group.members.insert(member.id.clone(), member);
        }
        group.protocol = group.choose_protocol();
        let protocol = group.protocol.clone().unwrap_or_default();
        for (id, member) in &mut group.members {
            let told = member.metadata(&protocol);
            member.assignment = embedded::write_assignment(&assigned[id], &told, env.image);
        }
        group.find_subscribed();
        group
    }
}
