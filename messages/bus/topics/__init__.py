"""Topics: messages that a node publishes, and subscriptions to them."""
