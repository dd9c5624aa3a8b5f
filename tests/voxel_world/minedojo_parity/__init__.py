"""The real minedojo package on the Malmo door against our own make()."""
