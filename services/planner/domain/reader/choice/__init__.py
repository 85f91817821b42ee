"""Which reading is meant, and how sure that is."""
