"""Davidson's GCDR-LP: tables with noise columns (Table 1), faces (Table 2), four corners of a cube (Figures 2, 3)."""
