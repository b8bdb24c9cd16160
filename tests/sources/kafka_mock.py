"""A Kafka cluster for tests. Run as a program, it prints its brokers, and ends when its input ends."""

import sys


def main() -> None:
    """Run the cluster."""
    from confluent_kafka import Producer

    cluster = Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1, "log_level": 0})
    brokers = cluster.list_topics(timeout=10).brokers.values()
    print(",".join(f"{broker.host}:{broker.port}" for broker in brokers), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
