"""Likewise on data sets that were not used during its development, compared with the previous version.

The data come in wheels of other packages; the protocol is that of ``benchmarks.accuracy``.
"""
