"""What charts look like: a sheet of small ones to be looked at by a person."""
