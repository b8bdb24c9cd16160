"""The live service: named jobs learn from many senders over HTTP, each in its own budget (extra `serve`)."""
