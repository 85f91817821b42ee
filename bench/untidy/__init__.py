"""How Assay answers over data as people really have it."""
