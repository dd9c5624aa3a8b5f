"""Goals and the sessions that they play in: their ids, samples and ends, and what guards did."""
