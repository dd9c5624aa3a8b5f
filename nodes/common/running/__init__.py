"""What makes a process a node: its start and end, its log, its pauses and its debugger."""
