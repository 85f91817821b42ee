"""What columns are, and which parts they may play."""
