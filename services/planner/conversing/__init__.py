"""Conversations, as the planner takes part in them: a message becomes the work of a job."""
