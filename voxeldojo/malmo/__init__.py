"""The Malmo server: the embedded world behind the protocol of MineDojo's Java side."""
