"""Columns that a question defines: their terms, the catalogue and the SQL that have them."""
