"""Statistical tests over frames, as numbers that can be cited.

`outcome` is the tidy result every test fills; `reading` takes columns from a frame; `describing`,
`association`, `groups`, `variance`, `regression`, `missing` and `outliers` hold the tests; `run`
chooses one.
"""
