"""From what is asked to the steps of a plan that answer it, with their charts and summaries."""
