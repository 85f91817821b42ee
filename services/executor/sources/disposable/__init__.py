"""Work on foreign bytes in processes that are used once: a crash there is an answer, not an end."""
