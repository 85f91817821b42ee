"""Jobs and conversations as Jupyter notebooks that compute their rows again."""
