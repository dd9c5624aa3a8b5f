"""Minecraft 1.11.2 by MineDojo's interface: ours of compiled kernels, or the real package."""
