"""Statistics of profiler.analyze, gathered as cells of one tidy frame."""
