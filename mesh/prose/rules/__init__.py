"""What is asked of each clause: one file a rule. A rule is added to `RULES` in `checking.py`."""
