"""What a person says that a source means: read from YAML, held against the data, put into the
catalogue that every reading goes by."""
