"""Strategies to choose questions: ours compared with random and published ones, by the number of screens.

A simulated person answers from the truth; half of the rows are excluded beforehand and can never be asked about.
"""
