"""What runs inside: this folder, the standard library and the data libraries alone."""
