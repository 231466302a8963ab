"""The exception for requests that cannot be fulfilled."""

from __future__ import annotations


class Refusal(Exception):
    """A request that cannot be fulfilled.

    Parameters
    ----------
    status : int
        HTTP status code.
    error : str
        Error code for the page.
    message : str
        Message for the user.
    """

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
