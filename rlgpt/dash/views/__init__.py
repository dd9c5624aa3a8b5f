"""What each panel of the page shows, read from a run's files."""
