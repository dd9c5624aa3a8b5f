"""How the engine's kernels are compiled.

`kernels.py` has the decorators of a kernel, `arrays_by_address.py` passes a world's arrays to it as
one address, `compiled_apart.py` compiles the largest kernels on their own, and `direct_calls.py`
calls one from Python without a check of types. `stale_kernels.py` discards kernels whose code has
changed, `precompile.py` compiles all of them in advance, and `first_compilation.py` reports that
some are being compiled.
"""
