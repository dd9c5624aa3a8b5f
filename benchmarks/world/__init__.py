"""How fast the embedded world is, and its peers beside it: python -m benchmarks.world"""
