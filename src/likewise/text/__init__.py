"""Text in, matrix out.

Here belongs what turns raw strings into features. It knows nothing of the rest of the package.
"""

from .features import TextFeatures

__all__ = ["TextFeatures"]
