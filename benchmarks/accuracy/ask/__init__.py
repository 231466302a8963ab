"""Which questions are worth asking: ours beside random ones and published strategies, counted in screens.

A simulated person answers from the truth; half of the rows are excluded beforehand and can never be asked about.
"""
