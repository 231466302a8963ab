"""Draw before-after.png, or the file that is named: 178 wines before and after 60 hints."""

import sys
from pathlib import Path

from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.datasets import load_wine
from sklearn.metrics import confusion_matrix

from likewise import Constraints, Likewise
from likewise.constraints._format import pluralize
from likewise.report._facts import Facts
from likewise.report.plots import palette, save
from likewise.report.plots._figures import CANNOT_LINK, FAINT, INK, MUST_LINK

WINES = ["Barolo", "Grignolino", "Barbera"]
DASHES = (0, (4, 3))

X, y = load_wine(return_X_y=True)
hints = Constraints.sample(y, "equal", 30, random_state=0)  # 30 times the same, 30 times different
model = Likewise(n_clusters=3, random_state=0).fit(X, constraints=hints)
layout = Facts(model, X).layout


def in_wrong_cluster(labels):
    """The wines that are in a cluster named after another one."""
    names = confusion_matrix(y, labels).argmax(axis=0)
    return names[labels] != y


def draw(axis, title, labels, points):
    """The wines in a plane, those in a wrong cluster with a ring."""
    wrong = in_wrong_cluster(labels)
    axis.set_title(title, loc="left", color=INK, fontsize=13, fontweight="bold")
    axis.set_title(f"{pluralize(int(wrong.sum()), 'wine')} in a wrong cluster", loc="right", color=INK, fontsize=11)
    for wine, color in enumerate(palette(len(WINES))):
        axis.scatter(*points[y == wine].T, s=36, color=color, edgecolors="white", linewidths=0.5, zorder=2)
    axis.scatter(*points[wrong].T, s=110, facecolors="none", edgecolors=INK, linewidths=1.6, zorder=3)
    axis.set_aspect("equal", "datalim")
    axis.margins(0.07)
    axis.set_xticks([])
    axis.set_yticks([])
    for spine in axis.spines.values():
        spine.set_color(FAINT)


figure = Figure(figsize=(10, 4.6), layout="constrained", facecolor="white")
figure.get_layout_engine().set(wspace=0.03)
before, after = figure.subplots(1, 2)
draw(before, "178 wines without hints", model.unsupervised_labels_, layout.before)
draw(after, "The same with 60 hints", model.labels_, layout.after)
for pairs, color, style in ((hints.must_link, MUST_LINK, "solid"), (hints.cannot_link, CANNOT_LINK, DASHES)):
    lines = LineCollection(layout.before[pairs], colors=color, linewidths=0.8, alpha=0.55, linestyles=style, zorder=1)
    before.add_collection(lines, autolim=False)
handles = [
    *(Line2D([], [], marker="o", linestyle="", color=color, label=name)
      for name, color in zip(WINES, palette(len(WINES)), strict=True)),
    Line2D([], [], marker="o", markersize=10, linestyle="", color=INK, fillstyle="none", label="in a wrong cluster"),
    Line2D([], [], color=MUST_LINK, linewidth=1.2, label="hint: the same"),
    Line2D([], [], color=CANNOT_LINK, linewidth=1.2, linestyle=DASHES, label="hint: different"),
]  # fmt: skip
figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False, fontsize=10)
save(figure, sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("before-after.png"), dpi=150)
