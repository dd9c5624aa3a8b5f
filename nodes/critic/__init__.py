"""The critic node: judges a sub-action from what was seen before and after it."""
