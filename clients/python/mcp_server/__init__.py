"""Assay's own capabilities as tools of an MCP server, for models and their clients."""
