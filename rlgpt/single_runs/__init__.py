"""One thing of a stack without the rest: a node, a program, an episode, a question, a skill."""
