//! An administrator: topics come, change and go, one request at a time, and it looks at what there is.
//!
//! What became of a request that was not answered is not known, now or later: that topic is left alone for ever, and the next
//! one has another name.

use std::collections::BTreeMap;
use std::rc::Rc;

use protocol::ErrorCode;
use protocol::messages::create_topics_response::CreateTopicsResponse;
use protocol::messages::delete_topics_request::{DeleteTopicState, DeleteTopicsRequest};
use protocol::messages::delete_topics_response::DeleteTopicsResponse;
use protocol::messages::describe_configs_request::{DescribeConfigsRequest, DescribeConfigsResource};
use protocol::messages::describe_configs_response::DescribeConfigsResponse;
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
use crate::wire::{Answer, Heard, Wire};

/// The setting that is changed: any value of it is far beyond what a run could notice.
const SETTING: &str = "retention.ms";
const VALUE_FIRST: u64 = 900_000_000;
const TOPIC: i8 = 2;
const SET: i8 = 0;
/// Topics that it has at a time.
const NAMES_MAX: usize = 3;
const PAUSE_MS_MAX: u64 = 300;

/// One administrator.
pub struct Admin {
    wire: Wire,
    /// Its topics, and whether they are there.
    topics: BTreeMap<Rc<str>, bool>,
    name_count: usize,
    asked: Option<Asked>,
    next_at: Nanos,
}

enum Asked {
    Create(Rc<str>),
    Delete(Rc<str>),
    Set(Rc<str>, Rc<str>),
    Setting(Rc<str>),
    List,
}

impl Admin {
    /// Somebody who has made nothing yet.
    pub fn new(number: usize) -> Admin {
        let wire = Wire::new(address_of_client(number), address_of(0));
        Admin { wire, topics: BTreeMap::new(), name_count: 0, asked: None, next_at: Nanos::default() }
    }

    fn ask(&mut self, cx: &mut Context) {
        while self.topics.len() < NAMES_MAX {
            self.topics.insert(format!("churn-{}", self.name_count).into(), false);
            self.name_count += 1;
        }
        let index = cx.random.below(NAMES_MAX as u64) as usize;
        let (name, is_there) = self.topics.iter().nth(index).expect("an index below the count");
        let (name, is_there) = (name.clone(), *is_there);
        let chance = if cx.is_working() { cx.random.below(100) } else { 99 };
        let asked = match (is_there, chance) {
            (_, 70..) => Asked::List,
            (false, _) => Asked::Create(name),
            (true, 50..) => Asked::Delete(name),
            (true, 25..) => Asked::Set(name, (VALUE_FIRST + cx.random.below(1_000_000)).to_string().into()),
            (true, _) => Asked::Setting(name),
        };
        self.send(cx, &asked);
        self.asked = Some(asked);
    }

    fn send(&mut self, cx: &Context, asked: &Asked) {
        let wire = &mut self.wire;
        match asked {
            Asked::Create(name) => {
                wire.ask(&cx.world, calls::CREATE_TOPICS, &calls::create_topic(name, 2, &[]))
            }
            Asked::Delete(name) => {
                let topics = vec![DeleteTopicState { name: Some(name), ..Default::default() }];
                let request = DeleteTopicsRequest { topics, timeout_ms: 10_000, ..Default::default() };
                wire.ask(&cx.world, calls::DELETE_TOPICS, &request);
            }
            Asked::Set(name, value) => {
                let config = AlterableConfig { name: SETTING, config_operation: SET, value: Some(value) };
                let resource =
                    AlterConfigsResource { resource_type: TOPIC, resource_name: name, configs: vec![config] };
                let request =
                    IncrementalAlterConfigsRequest { resources: vec![resource], validate_only: false };
                wire.ask(&cx.world, calls::ALTER_CONFIGS, &request);
            }
            Asked::Setting(name) => {
                let resource = DescribeConfigsResource {
                    resource_type: TOPIC,
                    resource_name: name,
                    configuration_keys: Some(vec![SETTING]),
                };
                let request = DescribeConfigsRequest { resources: vec![resource], ..Default::default() };
                wire.ask(&cx.world, calls::DESCRIBE_CONFIGS, &request);
            }
            Asked::List => {
                let request = MetadataRequest { topics: None, ..Default::default() };
                wire.ask(&cx.world, calls::METADATA, &request);
            }
        }
    }

    fn on_answer(&mut self, cx: &mut Context, answer: &Answer) {
        let Some(asked) = self.asked.take() else { return };
        let is_done = |code: i16| code == ErrorCode::None.code();
        match asked {
            Asked::Create(name) => {
                let response: CreateTopicsResponse<'_> = answer.read();
                if is_done(response.topics[0].error_code) {
                    self.topics.insert(name.clone(), true);
                    cx.tell(Event::TopicMade { name });
                    cx.progress();
                } else {
                    self.give_up(cx, name);
                }
            }
            Asked::Delete(name) => {
                let response: DeleteTopicsResponse<'_> = answer.read();
                if is_done(response.responses[0].error_code) {
                    self.topics.insert(name.clone(), false);
                    cx.tell(Event::TopicGone { name });
                    cx.progress();
                } else {
                    self.give_up(cx, name);
                }
            }
            Asked::Set(name, value) => {
                let response: IncrementalAlterConfigsResponse<'_> = answer.read();
                match is_done(response.responses[0].error_code) {
                    true => cx.tell(Event::TopicSet { name, value }),
                    false => self.give_up(cx, name),
                }
            }
            Asked::Setting(name) => {
                let response: DescribeConfigsResponse<'_> = answer.read();
                let found = response.results[0].configs.iter().find(|config| config.name == SETTING);
                if let Some(value) = found.and_then(|config| config.value) {
                    cx.tell(Event::SettingSeen { name, value: value.into() });
                }
            }
            Asked::List => {
                let response: MetadataResponse<'_> = answer.read();
                let names = response.topics.iter().filter_map(|topic| topic.name).map(Rc::from);
                cx.tell(Event::TopicsSeen { names: names.collect() });
            }
        }
    }

    /// Nothing more is known of a topic, nor ever will be.
    fn give_up(&mut self, cx: &mut Context, name: Rc<str>) {
        self.topics.remove(&name);
        cx.tell(Event::TopicUnclear { name });
    }

    fn on_lost(&mut self, cx: &mut Context) {
        match self.asked.take() {
            Some(Asked::Create(name) | Asked::Delete(name) | Asked::Set(name, _)) => self.give_up(cx, name),
            Some(Asked::Setting(_) | Asked::List) | None => {}
        }
    }
}

impl Client for Admin {
    fn name(&self) -> String {
        "administrator".to_owned()
    }

    fn poll(&mut self, cx: &mut Context) {
        while let Some(heard) = self.wire.hear(&cx.world, &mut cx.random) {
            match heard {
                Heard::Answer(answer) => {
                    self.on_answer(cx, &answer);
                    self.next_at = cx.now().plus_ms(cx.random.below(PAUSE_MS_MAX) as i64);
                }
                Heard::Lost => self.on_lost(cx),
            }
        }
        let may_ask = self.wire.asked_count() == 0 && cx.now() >= self.next_at;
        if may_ask && self.wire.is_up(&cx.world) {
            self.ask(cx);
        }
    }

    fn due(&self) -> Option<Nanos> {
        [self.wire.due(), Some(self.next_at)].into_iter().flatten().min()
    }

    fn is_quiet(&self) -> bool {
        !matches!(self.asked, Some(Asked::Create(_) | Asked::Delete(_) | Asked::Set(..)))
    }
}
