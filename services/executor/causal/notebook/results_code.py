"""Code cells that compare and draw what was found, as they stand in the notebook."""

from __future__ import annotations

COMPARISON = '''\
def alike(now, then, width):
    """To six significant digits of the figure or of its interval's width, whichever is more."""
    return bool(abs(now - then) <= 1e-6 * max(abs(then), width))


rows = []
for name, *figures in EXPECTED:
    width = figures[2] - figures[1]
    for what, then, now in zip(("estimate", "lower end", "upper end"), figures,
                               seen.get(name, (np.nan,) * 3)):
        rows.append((f"{name}, {what}", then, now, alike(now, then, width)))
comparison = pd.DataFrame(rows, columns=["figure", "in the study", "here", "same"])
print(f"{comparison['same'].sum()} of {len(comparison)} figures came out the same")
comparison'''

CHART = """\
figure, axes = plt.subplots(figsize=(7, 0.7 + 0.4 * len(seen)))
for place, (name, (estimate, low, high)) in enumerate(seen.items()):
    axes.plot([low, high], [place, place], color="#5b6570")
    axes.plot([estimate], [place], "o", color="#0072B2")
axes.set_yticks(range(len(seen)), list(seen))
axes.invert_yaxis()
axes.axvline(0, color="#8a8a8a", linewidth=1)
axes.set_xlabel("effect, with its 95 % interval")
figure.tight_layout()
plt.show()"""

GROUPS = """\
figure, axes = plt.subplots(figsize=(7, 0.7 + 0.4 * len(GROUPS)))
for place, (name, estimate, low, high) in enumerate(reversed(GROUPS)):
    axes.plot([low, high], [place, place], color="#4477aa")
    axes.plot(estimate, place, "o", color="#4477aa")
axes.set_yticks(range(len(GROUPS)), [name for name, *_ in reversed(GROUPS)])
axes.axvline(0, color="grey", linewidth=0.8)
axes.set_xlabel("effect in the group, with its 95 % interval")
figure.tight_layout()
plt.show()"""
