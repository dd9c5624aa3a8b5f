"""Sockets below the bus: addresses, connections and their limits, keys, frames and headers."""
