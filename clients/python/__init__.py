"""Ask Assay from Python.

    from clients.python.client import AssayClient
    from clients.python.question import Question

    async with AssayClient("127.0.0.1:7400") as assay:
        question = Question("revenue by month", data=("orders.csv",))
        async for event in assay.ask(question):
            print(event)

Nothing heavy is imported here: the `assay` command must answer `--help` at once.
"""
