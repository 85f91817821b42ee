"""What the audit service records, without a thought of where."""
