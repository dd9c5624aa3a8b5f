"""The rl branch: training specs are asked for and checked, policies trained and trained further."""
