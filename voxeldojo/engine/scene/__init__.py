"""What a task adds to a world before its first tick: drawings and mobs."""
