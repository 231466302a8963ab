"""The studio under load: answers at speed, crashes at random moments, a hundred thousand rows."""
