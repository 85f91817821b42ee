"""Which days dates cover, and what a moving window needs before them."""
