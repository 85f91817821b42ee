"""A checked text as one page: each number a link to its cell, each frame with its proof beside."""
