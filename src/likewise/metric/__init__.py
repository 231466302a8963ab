"""Learned distances."""
