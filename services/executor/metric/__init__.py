"""Why a metric moved: what it is made of, and what stands out of its change."""
