"""Statements that anybody proposes: what binds their words, how they agree, what is edited."""
