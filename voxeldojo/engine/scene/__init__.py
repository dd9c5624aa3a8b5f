"""What stands in a world before its first tick because the task asks for it: drawings and mobs."""
