"""From an intent to SQL, steps, a chart and one line for people."""
