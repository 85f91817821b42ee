"""Checking an exported bundle: no mesh, no network, nothing but the bundle and `mesh.*`."""
