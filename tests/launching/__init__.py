"""Tests of whole launches: sentences, supervision, kills, machines."""
