"""The learner, for tests that start it as a process."""

from nodes.learner.learner import Learner

if __name__ == "__main__":
    Learner.main()
