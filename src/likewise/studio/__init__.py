"""The studio: a local page that asks, shows what the answers change, and keeps every act in a session file."""

from ._session import Session as Session
