"""Su Yan's thesis: ASP (chapter 4), Costco with links (chapter 5), DSP (chapter 6); a file for each chapter."""
