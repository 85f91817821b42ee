"""One reading of all phrases at once: `resolve` chooses it, by the `owners` named nearby and
against `doubts`. `things` and `alike` say what rows are called, `counted_things` what is counted
of them, `asking` asks back where two readings are as good and give different answers, and
`sureness` says how surely one was chosen.
"""
