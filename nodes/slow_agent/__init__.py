"""The slow agent node: the outer loop, which decides what is coded and what is learned."""
