"""Tests of reports and tables."""
