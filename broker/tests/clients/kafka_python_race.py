"""Repairs one race of kafka-python 3.0's own, which hides what its tests are about. A pytest plugin (-p kafka_python_race).

subscribe() right after the constructor can fall between the bootstrap's Metadata request, which does not name the topic, and its
answer, which then clears the wish for another request: the consumer reads nothing, for good. On Apache Kafka 4.3.1 72 of 300
consumers ended so when subscribe() came 0 to 8 ms after the constructor. A broker that answers sooner meets the
race sooner. Nothing is repeated here that a client would not do: it asks for the topics it was told to ask for.
"""

from kafka.cluster import ClusterMetadata

ask, update = ClusterMetadata.metadata_request, ClusterMetadata.update_metadata


def metadata_request(self):
    self.topics_asked = set(self._topics)
    return ask(self)


def update_metadata(self, metadata):
    update(self, metadata)
    if not self._topics <= self.topics_asked:
        self.request_update()


ClusterMetadata.metadata_request, ClusterMetadata.update_metadata = metadata_request, update_metadata
