"""Files on the web and in buckets: fetched whole, checked, and then read like any other."""
