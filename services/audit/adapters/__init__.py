"""Where the log, its caches and its checkpoints are kept."""
