"""The report of a run: goal_report.json and summary.json for machines, report.html for people.

Nothing is imported here: whoever wants a word of it is not to wait for its charts.
"""
