"""Jobs of every kind: their states, leases, queue, and how they end."""
