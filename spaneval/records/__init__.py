"""Extracted records from end to end: one way in for each command, and the steps on the way."""
