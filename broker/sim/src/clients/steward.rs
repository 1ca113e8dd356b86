//! An administrator of a cluster: it asks one node, and another one when that does not do what it should. Topics come, are set and
//! go, and groups are set.
//!
//! What became of a request that was refused or not answered is not known, now or later: its topic or group is left alone for
//! ever, and the next one has another name.

use std::collections::BTreeSet;
use std::rc::Rc;

use protocol::ErrorCode;
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::delete_topics_response::DeleteTopicsResponse;
use protocol::messages::incremental_alter_configs_request::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use protocol::messages::incremental_alter_configs_response::IncrementalAlterConfigsResponse;
use protocol::messages::metadata_request::MetadataRequest;
use protocol::messages::metadata_response::MetadataResponse;
use shard::Nanos;

use crate::calls;
use crate::client::{Client, Context};
use crate::event::Event;
use crate::node::{address_of, address_of_client};
use crate::picture::{GROUP_SETTING, TOPIC_SETTING};
use crate::wire::{Answer, Heard, Wire};

/// Values of both settings; any is far beyond what a run could notice, and within what is allowed.
const TOPIC_VALUE_FIRST: u64 = 900_000_000;
const GROUP_VALUE_FIRST: u64 = 20_000;
const TOPIC: i8 = 2;
const GROUP: i8 = 32;
const SET: i8 = 0;
/// Topics that it has at a time.
const TOPICS_MAX: usize = 4;
const PAUSE_MS_MAX: u64 = 150;

/// One administrator.
pub struct Steward {
    number: usize,
    nodes: usize,
    /// The node that it asks.
    node: usize,
    wire: Wire,
    topics: BTreeSet<Rc<str>>,
    /// Of these, those that the node has acknowledged on this connection.
    made_here: BTreeSet<Rc<str>>,
    group: Rc<str>,
    name_count: usize,
    asked: Option<Asked>,
    next_at: Nanos,
}

enum Asked {
    Create(Rc<str>),
    Delete(Rc<str>),
    Set(Rc<str>, Rc<str>),
    SetGroup(Rc<str>, Rc<str>),
    List,
}

impl Steward {
    /// Somebody who has made nothing yet, and begins with one of so many nodes.
    pub fn new(number: usize, nodes: usize) -> Steward {
        let node = number % nodes;
        Steward {
            number,
            nodes,
            node,
            wire: Wire::new(address_of_client(number), address_of(node)),
            topics: BTreeSet::new(),
            made_here: BTreeSet::new(),
            group: format!("group-{number}-0").into(),
            name_count: 0,
            asked: None,
            next_at: Nanos::default(),
        }
    }

    fn new_name(&mut self, what: &str) -> Rc<str> {
        self.name_count += 1;
        format!("{what}-{}-{}", self.number, self.name_count).into()
    }

    fn ask(&mut self, cx: &mut Context) {
        let chance = if cx.is_working() { cx.random.below(100) } else { 99 };
        let index = cx.random.below(TOPICS_MAX as u64) as usize;
        let number = cx.random.below(10_000);
        let asked = match (self.topics.iter().nth(index).cloned(), chance) {
            (_, 85..) => Asked::List,
            (_, 55..) => Asked::SetGroup(self.group.clone(), (GROUP_VALUE_FIRST + number).to_string().into()),
            (None, _) => Asked::Create(self.new_name("topic")),
            (Some(name), 25..) => Asked::Set(name, (TOPIC_VALUE_FIRST + number).to_string().into()),
            (Some(name), _) => Asked::Delete(name),
        };
        self.send(cx, &asked);
        self.asked = Some(asked);
    }

    fn send(&mut self, cx: &Context, asked: &Asked) {
        let wire = &mut self.wire;
        match asked {
            Asked::Create(name) => {
                wire.ask(&cx.world, calls::CREATE_TOPICS, &calls::create_topic(name, 2, &[]));
            }
            Asked::Delete(name) => {
                let topics = vec![DeleteTopicState { name: Some(name), ..Default::default() }];
                let request = DeleteTopicsRequest { topics, timeout_ms: 10_000, ..Default::default() };
                wire.ask(&cx.world, calls::DELETE_TOPICS, &request);
            }
            Asked::Set(name, value) => set(wire, cx, (TOPIC, name), (TOPIC_SETTING, value)),
            Asked::SetGroup(name, value) => set(wire, cx, (GROUP, name), (GROUP_SETTING, value)),
            Asked::List => {
                let request = MetadataRequest { topics: None, ..Default::default() };
                wire.ask(&cx.world, calls::METADATA, &request);
            }
        }
    }

    fn on_answer(&mut self, cx: &mut Context, answer: &Answer) {
        let Some(asked) = self.asked.take() else { return };
        let code = match &asked {
            Asked::Create(_) => answer.read::<CreateTopicsResponse<'_>>().topics[0].error_code,
            Asked::Delete(_) => answer.read::<DeleteTopicsResponse<'_>>().responses[0].error_code,
            Asked::Set(..) | Asked::SetGroup(..) => {
                answer.read::<IncrementalAlterConfigsResponse<'_>>().responses[0].error_code
            }
            Asked::List => return self.on_list(cx, &answer.read::<MetadataResponse<'_>>()),
        };
        if code != ErrorCode::None.code() {
            self.give_up(cx, asked);
            // Another node may know who leads, or lead itself. What this one refuses for good another one would as well.
            if ErrorCode::from_code(code).is_none_or(ErrorCode::is_retriable) {
                self.turn_away(cx);
            }
            return;
        }
        match asked {
            Asked::Create(name) => {
                self.topics.insert(name.clone());
                self.made_here.insert(name.clone());
                cx.tell(Event::TopicMade { name });
            }
            Asked::Delete(name) => {
                self.topics.remove(&name);
                self.made_here.remove(&name);
                cx.tell(Event::TopicGone { name });
            }
            Asked::Set(name, value) => cx.tell(Event::TopicSet { name, value }),
            Asked::SetGroup(name, value) => cx.tell(Event::GroupSet { name, value }),
            Asked::List => unreachable!("it was looked at before"),
        }
        cx.progress();
    }

    /// What this connection's node has acknowledged it has to know. Other nodes may lag behind.
    fn on_list(&mut self, cx: &mut Context, response: &MetadataResponse<'_>) {
        let known: BTreeSet<&str> = response.topics.iter().filter_map(|topic| topic.name).collect();
        let missing = self.made_here.iter().find(|name| !known.contains(&***name)).cloned();
        if let Some(name) = missing {
            cx.tell(Event::NotVisible { node: self.node, name });
        }
        if cx.random.chance(10) {
            self.turn_away(cx);
        }
    }

    /// Nothing more is known of what was asked for, nor ever will be.
    fn give_up(&mut self, cx: &mut Context, asked: Asked) {
        match asked {
            Asked::Create(name) | Asked::Delete(name) | Asked::Set(name, _) => {
                self.topics.remove(&name);
                self.made_here.remove(&name);
                cx.tell(Event::TopicUnclear { name });
            }
            Asked::SetGroup(name, _) => {
                self.group = self.new_name("group");
                cx.tell(Event::GroupUnclear { name });
            }
            Asked::List => {}
        }
    }

    /// Asks another node from now on.
    fn turn_away(&mut self, cx: &mut Context) {
        self.made_here.clear();
        self.node = (self.node + 1 + cx.random.below(self.nodes as u64 - 1) as usize) % self.nodes;
        self.wire.turn_to(address_of(self.node), &cx.world, &mut cx.random);
    }
}

fn set(wire: &mut Wire, cx: &Context, (kind, name): (i8, &str), (setting, value): (&str, &str)) {
    let config = AlterableConfig { name: setting, config_operation: SET, value: Some(value) };
    let resource = AlterConfigsResource { resource_type: kind, resource_name: name, configs: vec![config] };
    let request = IncrementalAlterConfigsRequest { resources: vec![resource], validate_only: false };
    wire.ask(&cx.world, calls::ALTER_CONFIGS, &request);
}

impl Client for Steward {
    fn name(&self) -> String {
        format!("steward {}", self.number)
    }

    fn poll(&mut self, cx: &mut Context) {
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            match heard {
                Heard::Answer(answer) => {
                    self.on_answer(cx, &answer);
                    self.next_at = cx.now().plus_ms(cx.random.below(PAUSE_MS_MAX) as i64);
                }
                Heard::Lost => {
                    if let Some(asked) = self.asked.take() {
                        self.give_up(cx, asked);
                    }
                    self.turn_away(cx);
                }
            }
        }
        let may_ask = self.wire.asked_count() == 0 && cx.now() >= self.next_at;
        if !may_ask {
            return;
        }
        if self.wire.is_up(&cx.world) {
            self.ask(cx);
        } else if self.wire.has_failed(&cx.world) {
            self.turn_away(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        [self.wire.due(), Some(self.next_at)].into_iter().flatten().min()
    }

    fn is_quiet(&self) -> bool {
        matches!(self.asked, None | Some(Asked::List))
    }
}
