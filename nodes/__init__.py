"""The nodes, a folder each, and what they have in common."""

from nodes.own_packages import settle

settle()
