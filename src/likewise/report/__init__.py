"""Pictures of what was found. matplotlib loads when a picture is drawn, not before."""

from .plots import before_and_after, curves

__all__ = ["before_and_after", "curves"]
