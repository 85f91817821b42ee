"""What is told of a finished job: story, tables, evidence, as Markdown and as HTML."""
