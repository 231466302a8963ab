"""Reading and writing files: one reader per format, for data, constraints and links; and atomic writing."""
