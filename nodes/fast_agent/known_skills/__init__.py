"""The skill branch: skills of the library are tried first, called by programs, and kept."""
