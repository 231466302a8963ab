"""Likewise on data sets that its authors never looked at while it was made, beside the version before.

The data come in wheels of other packages; the protocol is that of ``benchmarks.accuracy``.
"""
