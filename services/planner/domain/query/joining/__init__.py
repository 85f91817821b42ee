"""How tables hang together: `keys` and `references` (declared, or suggested by names), `joins` (the
cheapest tree between the tables of a question), and `entities` (how people call the things of a
table).
"""
