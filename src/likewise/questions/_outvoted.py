"""Resolution of contradictions between answers by weighted majority."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

MAX_ROUNDS = 20

Said = tuple[int, int, float]
"""Two rows and the weight of the answer about them: positive for "same", negative for "different"."""


def outvoted(said: Iterable[Said]) -> list[int]:
    """The positions of the answers to reject, so that the others do not contradict each other.

    A local search partitions the rows into groups that agree with a large total weight of answers: groups with a
    positive sum of weights between them are joined, in the order of answers, and each row moves to the group with the
    largest sum.

    >>> outvoted([(0, 1, 1.0), (1, 2, 1.0), (0, 2, -1.0), (2, 3, 1.0), (0, 3, -1.0)])
    [1]
    >>> outvoted([(0, 1, 1.0), (1, 2, 1.0), (0, 3, -1.0)])
    []
    """
    said = list(said)
    together = _joined(said)
    contradicted = {together[i] for i, j, weight in said if weight < 0 and together[i] == together[j]}
    if not contradicted:
        return []
    within = [
        place for place, (i, j, _) in enumerate(said) if together[i] == together[j] and together[i] in contradicted
    ]
    group = _grouped([said[place] for place in within])
    return [place for place in within if (said[place][2] > 0) != (group[said[place][0]] == group[said[place][1]])]


def excessive(believed: Iterable[Said], refuted: Iterable[Said], n_clusters: int) -> list[int]:
    """The positions of accepted answers to omit, so that there are no more pairwise different groups than clusters.

    While there are more, the answers between two of these groups are omitted: the two with the largest sum of weights
    between them, including refuted answers.

    >>> apart = [(0, 1, -1.0), (0, 2, -1.0), (0, 3, -1.0), (1, 3, -1.0), (2, 3, 1.0)]
    >>> excessive(apart, [(0, 1, 1.0)], 2)
    [0]
    """
    believed = list(believed)
    together = _joined(believed)
    sizes = Counter(together.values())
    between: dict[tuple[int, int], float] = defaultdict(float)
    keeping: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, (i, j, weight) in enumerate([*believed, *refuted]):
        left, right = sorted((together.get(i, i), together.get(j, j)))
        between[left, right] += weight
        if weight < 0 and place < len(believed):
            keeping[left, right].append(place)
    found: list[int] = []
    while len(clique := _clique(sizes, keeping)) > n_clusters:
        weakest = max(combinations(sorted(clique), 2), key=between.__getitem__)
        found += keeping.pop(weakest)
    return sorted(found)


def _clique(sizes: Counter[int], apart: Iterable[tuple[int, int]]) -> list[int]:
    """Groups that are pairwise different, by a greedy search in order of decreasing size."""
    others: dict[int, set[int]] = defaultdict(set)
    for left, right in apart:
        others[left].add(right)
        others[right].add(left)
    clique: list[int] = []
    for group, _ in sizes.most_common():
        if others[group].issuperset(clique):
            clique.append(group)
    return clique


def _joined(said: list[Said]) -> dict[int, int]:
    """The group of each row if every answer "same" is correct."""
    group: dict[int, int] = {}

    def root(row: int) -> int:
        group.setdefault(row, row)
        while group[row] != row:
            group[row] = row = group[group[row]]
        return row

    for i, j, weight in said:
        left, right = root(i), root(j)
        if weight > 0:
            group[right] = left
    return {row: root(row) for row in group}


def _grouped(said: list[Said]) -> dict[int, int]:
    """The group of each row in the groups that agree with the largest weight of answers."""
    links: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for i, j, weight in said:
        links[i][j] += weight
        links[j][i] += weight
    group = {row: row for row in links}
    unused = max(group) + 1
    for _ in range(MAX_ROUNDS):
        changed = _join(group, said)
        for row, others in links.items():
            worth: dict[int, float] = defaultdict(float)
            for other, weight in others.items():
                worth[group[other]] += weight
            own = worth.get(group[row], 0.0)
            best = max(worth, key=worth.__getitem__)
            if max(worth[best], 0.0) > own + 1e-9:
                group[row], changed = (best if worth[best] > 0 else unused), True
                unused += 1
        if not changed:
            break
    return group


def _join(group: dict[int, int], said: list[Said]) -> bool:
    """Join groups with a positive sum of weights between them, in the order of answers; return whether any changed."""
    between: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for i, j, weight in said:
        left, right = group[i], group[j]
        if left != right:
            between[left][right] += weight
            between[right][left] += weight
    name = {each: each for each in group.values()}

    def root(each: int) -> int:
        while name[each] != each:
            name[each] = each = name[name[each]]
        return each

    changed = False
    for i, j, weight in said:
        left, right = root(group[i]), root(group[j])
        if weight > 0 and left != right and between[left][right] > 1e-9:
            for other, total in between.pop(right).items():
                del between[other][right]
                if other != left:
                    between[left][other] += total
                    between[other][left] += total
            name[right], changed = left, True
    for row in group:
        group[row] = root(group[row])
    return changed
