"""The papers behind this package, measured again: a package for each, and the framework that runs them.

``python -m papers`` from the root of the checkout, or ``likewise papers`` anywhere in it.
"""
