"""The effect of columns that are unrelated to the classes: ten tables with and without them."""
