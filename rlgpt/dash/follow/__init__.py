"""A run that is watched: what its nodes publish, and what changes in its folder."""
