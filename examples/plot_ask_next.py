"""
What to ask next
================

A person has time for a few questions only. A :class:`likewise.questions.Dialogue` asks one after the other, each
chosen by all answers before it, and says when to stop. Here it is compared with questions about random pairs.
"""

import numpy as np
from sklearn.datasets import load_digits

from likewise import Constraints, Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.questions import Dialogue
from likewise.report.plots import learning_curve

X, y = load_digits(return_X_y=True)
X, y = X[:700] / 16, y[:700]
n, k = len(y), 10

# %%
# The person is simulated: the answer to each question is the truth. A pair is answered by "same" or "different"; rows
# to be sorted into piles by a letter for each, the same for rows of one pile.


def reply(question):
    """What the person says."""
    if question.kind == "piles":
        return "".join("abcdefghij"[digit] for digit in y[list(question.rows)])
    i, j = question.rows
    return "same" if y[i] == y[j] else "different"


# %%
# Each question is one screen, whether it shows two rows or four. After 10, 20, 40 and 80 screens we look at the
# clusters.

amounts = [10, 20, 40, 80]


def by_dialogue(kind, seed):
    """The quality after so many screens of a dialogue."""
    dialogue = Dialogue(X, k, questions=kind, random_state=seed)
    scores = []
    for amount in amounts:
        while dialogue.answers.n_screens < amount and dialogue.question is not None:
            dialogue.answer(reply(dialogue.question))
        scores.append(normalized_mutual_information(y, dialogue.update().labels_))
    print(f"{kind}: {dialogue.answers.outlook}")
    return scores


def by_random_pairs(seed):
    """The same for pairs of any two rows."""
    rng = np.random.default_rng(seed)
    model = Likewise(k, random_state=seed, verbose=False).fit(X)
    scores = []
    for more in np.diff([0, *amounts]):
        pairs = [rng.choice(n, 2, replace=False) for _ in range(more)]
        same = [pair for pair in pairs if y[pair[0]] == y[pair[1]]]
        different = [pair for pair in pairs if y[pair[0]] != y[pair[1]]]
        model.add_constraints(Constraints(n, must_link=same, cannot_link=different))
        scores.append(normalized_mutual_information(y, model.labels_))
    return scores


runs = {
    "pairs of a dialogue": [by_dialogue("pair", seed) for seed in range(2)],
    "piles of four": [by_dialogue("piles", seed) for seed in range(2)],
    "random pairs": [by_random_pairs(seed) for seed in range(2)],
}
for name, scores in runs.items():
    print(name, np.mean(scores, axis=0).round(3))

# %%
# Two runs each, with a band of one standard deviation:

lines = {name: (amounts, np.mean(scores, axis=0), np.std(scores, axis=0)) for name, scores in runs.items()}
figure = learning_curve({"questions": lines}, x_label="screens", y_label="NMI with the digits")
