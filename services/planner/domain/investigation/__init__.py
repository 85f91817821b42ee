"""Why did a metric move? (seed 002): the entities, and the rules by which they are judged."""
