"""What several nodes share, a folder for each subject."""
