"""Memory's ports made real: Qdrant in process and served, MiniLM and hashed embeddings."""
