"""Questions: from a reading or a statement to a plan, its repairs, and what is learnt of it."""
