"""What must not be answered: words that change the answer and were tied to nothing (`unread`,
`lost_words`), and parts of all that cannot be picked (`parts_of_all`).
"""
