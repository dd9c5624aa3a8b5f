"""``rlgpt table NAME``: the paper's tables, run cell by cell and written beside its numbers.

A table is data (`launch/table/`), a cell is a launch of `launch/cell.yaml`, and a finished cell is
one file in the results folder that all tables share.
"""
