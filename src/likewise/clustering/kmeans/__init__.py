"""The k-means family: weighted points, seeding, Lloyd's iteration, and penalties on violated constraints."""
