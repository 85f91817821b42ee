"""What may be wrong with a database's server, in the same words for every database: the mesh's own,
and those that questions are asked of. Each goes on from "the database NAME"."""

from __future__ import annotations

NO_AUTHORITY = "cannot be told from another: sslrootcert names no certificate of its authority"
OTHER_AUTHORITY = "shows a certificate that the authority in sslrootcert did not sign"
OTHER_NAME = "shows a certificate of another name than the address has"
NO_ENCRYPTION = "offers no encryption, and sslmode asks for it"
REFUSES_PASSWORD = "refuses this user or password"
REFUSES_USER = "does not let this user in"
