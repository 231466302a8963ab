"""What an answer is worth, by what is asked: pairs, piles, odd ones out, comparisons, and preferences.

An answer is a screen. A simulated person answers from the truth about a random half of the rows.
"""
