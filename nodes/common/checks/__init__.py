"""What is wrong with an answer: with a plan, a decomposition, a training spec or a task."""
