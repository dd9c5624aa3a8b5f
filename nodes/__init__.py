"""The nodes, a folder each, and the code that they share."""

from nodes.own_packages import settle

settle()
