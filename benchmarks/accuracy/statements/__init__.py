"""The worth of an answer for each way of asking: pairs, piles, odd ones out, comparisons, and preferences.

An answer is a screen. A simulated person answers from the truth about a random half of the rows.
"""
