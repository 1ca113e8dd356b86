//! Where clients find brokers: each told by the address that belongs to the listener that the client came in by (Q23, C109).

use net::ListenerIndex;

use crate::metadata::Image;
use crate::node::Node;

/// A broker as a client is told of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address<'a> {
    pub(super) id: i32,
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) rack: Option<&'a str>,
    pub(super) is_fenced: bool,
}

/// One broker; nothing if it is not known, or has no listener of that name.
pub(super) fn find<'a>(
    image: &'a Image,
    node: &'a Node,
    listener: ListenerIndex,
    id: i32,
) -> Option<Address<'a>> {
    let broker = image.broker(id)?;
    let (host, port) = if id == node.id {
        node.advertised(listener)
    } else {
        let endpoint = broker.endpoint(node.listener_name(listener))?;
        (&*endpoint.host, endpoint.port)
    };
    Some(Address { id, host, port, rack: broker.rack.as_deref(), is_fenced: broker.is_fenced })
}

/// The brokers that clients may talk to.
pub(super) fn live<'a>(
    image: &'a Image,
    node: &'a Node,
    listener: ListenerIndex,
) -> impl Iterator<Item = Address<'a>> {
    image.live_brokers().filter_map(move |broker| find(image, node, listener, broker.id))
}

/// Of these brokers, each once: what a reply tells beside a partition's new leader (KIP-951).
pub(super) fn each_once<'a>(
    image: &'a Image,
    node: &'a Node,
    listener: ListenerIndex,
    mut ids: Vec<i32>,
) -> impl Iterator<Item = Address<'a>> {
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().filter_map(move |id| find(image, node, listener, id))
}
