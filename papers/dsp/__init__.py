"""DSP and SKK-means (Yan, Bouaziz, Lee, Barlow 2012): Tables 3 to 6, Figures 4 and 5."""
