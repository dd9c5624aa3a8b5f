"""Learning curves as the learner left them: one reader, for the report and the page."""
