"""Tests of the env server: sessions, what policies see, episodes, the jail."""
