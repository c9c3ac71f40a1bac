"""Reads all records of all topics of Parley with the CloudEvents SDK of Python, and
prints each as a line of JSON. A record that the SDK refuses is a line with the error."""

import json
import os
import sys
import uuid

from cloudevents.core.bindings.kafka import KafkaMessage, from_kafka
from cloudevents.core.formats.json import JSONFormat
from confluent_kafka import Consumer, TopicPartition


def consumer():
    return Consumer({
        "bootstrap.servers": os.environ["KAFKA_BROKERS"],
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": os.environ["KAFKA_SASL"],
        "sasl.username": os.environ["KAFKA_USER"],
        "sasl.password": os.environ["KAFKA_PASSWORD"],
        "group.id": "interop-" + str(uuid.uuid4()),
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
    })


def event(message):
    """The record as the SDK reads it, with what it says of itself."""
    read = from_kafka(KafkaMessage(dict(message.headers() or []), message.key(), message.value()), JSONFormat())
    attributes = read.get_attributes()
    attributes["time"] = read.get_time().isoformat()
    return {"attributes": attributes, "data": read.get_data()}


def main():
    c = consumer()
    ends = {}
    for name, topic in c.list_topics(timeout=30).topics.items():
        if name.startswith("parley."):
            for p in topic.partitions:
                low, high = c.get_watermark_offsets(TopicPartition(name, p), timeout=30)
                if high > low:
                    ends[name, p] = high
    c.assign([TopicPartition(name, p, 0) for name, p in ends])
    while ends:
        message = c.poll(60)
        if message is None:
            sys.exit(f"nothing came in a minute, and these were not read to their ends: {ends}")
        if message.error():
            sys.exit(str(message.error()))
        at = message.topic(), message.partition()
        line = {"topic": at[0], "partition": at[1], "offset": message.offset()}
        try:
            line.update(event(message))
        except Exception as refused:
            line["error"] = f"{type(refused).__name__}: {refused}"
        print(json.dumps(line))
        if at in ends and message.offset() + 1 >= ends[at]:
            del ends[at]
    c.close()


main()
