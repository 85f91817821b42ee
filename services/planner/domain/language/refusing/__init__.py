"""What must not be answered: words that change the answer and were tied to nothing (`unread`,
`lost_words`), whose sense was lost (`lost_sense`) or whose part the answer lacks (`lost_parts`),
what is of another kind (`beyond`, `methods`), and parts of all that cannot be picked
(`parts_of_all`).
"""
