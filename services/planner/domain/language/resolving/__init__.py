"""One reading of all phrases at once: `resolve` chooses it, also by the `owners` named nearby;
`asking` asks back where two are as good and give different answers, `sureness` says how surely it
was chosen.
"""
