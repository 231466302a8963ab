"""Benchmarks on a GPU, against named opponents on the same GPU in the same run: ``python -m benchmarks.gpu``."""
