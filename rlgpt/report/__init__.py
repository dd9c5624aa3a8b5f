"""The report of a run: goal_report.json and summary.json for machines, report.html for people.

Nothing is imported here: a caller of one part does not wait for the charts.
"""
