"""An open benchmark of root causes: business data with planted causes, baselines, and scores."""
