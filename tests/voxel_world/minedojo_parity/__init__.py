"""The real minedojo package on the Malmo server against our own make()."""
