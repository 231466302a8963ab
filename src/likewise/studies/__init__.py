"""Methods by name."""
