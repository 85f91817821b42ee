"""The gateway's face for browsers: the public contract over HTTP, signing in, and the console."""
