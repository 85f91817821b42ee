"""Effects from data: one file a method, each behind `result.Estimator`."""
