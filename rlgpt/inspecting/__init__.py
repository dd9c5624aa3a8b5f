"""Looks into a stack: nodes, topics, services, actions and parameters, a file for each subject.

Each public function prints what a command asks for and returns its exit code.
"""
