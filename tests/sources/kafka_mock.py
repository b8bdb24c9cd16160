"""A cluster for tests: python -m tests.sources.kafka_mock prints its brokers, and ends when its input does."""

import sys

from confluent_kafka import Producer

if __name__ == "__main__":
    cluster = Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1, "log_level": 0})
    brokers = cluster.list_topics(timeout=10).brokers.values()
    print(",".join(f"{broker.host}:{broker.port}" for broker in brokers), flush=True)
    sys.stdin.read()
