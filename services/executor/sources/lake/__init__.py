"""Folders that are one table: parts of a data set, Delta and Iceberg."""
