"""What models are taught and shown: the rulebook's answers over many goals, without any world."""
