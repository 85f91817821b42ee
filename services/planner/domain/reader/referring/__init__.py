"""Tables that refer to themselves: employees and whom they report to, categories and parents.

The other stages name columns by their table, and so cannot tell the two rows apart that such a
reference ties. `spoken` takes its words out of the question; `reading` puts what they mean into the
intent of what is left: a condition on the row referred to, or a second copy of the table.
"""
