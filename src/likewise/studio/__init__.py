"""The studio: a local page that asks questions, updates the clusters, and saves every action in a session file."""

from ._session import Session as Session
