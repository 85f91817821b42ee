"""One reading of all phrases at once: `resolve` chooses it, `asking` asks back where two are as
good and give different answers, `sureness` says how surely it was chosen.
"""
