"""Steps between a file and its tables that change what stands in them, one file a kind."""
