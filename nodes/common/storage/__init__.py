"""What nodes keep on disk: goals, values and episodes, in files that are whole or absent."""
