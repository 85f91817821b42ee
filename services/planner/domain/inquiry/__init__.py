"""Questions about a finished job, answered by what it holds (seed 002)."""
