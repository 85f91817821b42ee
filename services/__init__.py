"""The services of a mesh."""

import os

# There are no plugins of pydantic's, and to look for them takes each process the time of an import.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
