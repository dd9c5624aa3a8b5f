"""Actions: goals that take long, with feedback and a result that is remembered."""
