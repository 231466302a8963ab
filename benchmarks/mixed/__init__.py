"""What columns that have nothing to do with the classes cost: ten tables with and without them."""
