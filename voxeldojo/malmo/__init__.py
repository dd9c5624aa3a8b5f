"""The Malmo door: the embedded world behind the protocol of MineDojo's Java side."""
