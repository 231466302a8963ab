"""The k-means family: weighted points, seeding, Lloyd's iteration, and the prices of broken constraints."""
