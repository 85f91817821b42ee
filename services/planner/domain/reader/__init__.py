"""The reader of questions: words, links, grammar, chart, evidence, choice (docs/reading.md)."""
