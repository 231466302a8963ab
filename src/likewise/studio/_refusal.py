"""What cannot be done, as the page is told."""

from __future__ import annotations


class Refusal(Exception):
    """Something that cannot be done.

    Parameters
    ----------
    status : int
        Of the answer.
    error : str
        A word for the page.
    message : str
        A sentence for a person.
    """

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
