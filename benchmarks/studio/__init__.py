"""The studio under load: fast answers, crashes at random moments, a hundred thousand rows."""
