"""What stands in a world before its first tick because somebody asked for it: drawings and mobs."""
