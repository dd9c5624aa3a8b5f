"""The fast agent node: the inner loop, which writes programs and training specs."""
