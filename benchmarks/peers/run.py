"""Run one method of a peer package on saved data; runs in the peers' own virtual environment.

python run.py METHOD DATA.npz prints {"seconds": …, "labels": […]} as JSON. DATA holds X, must_link, cannot_link and
n_clusters.
"""

import json
import sys
import time
import warnings

import numpy as np


def constrained(name, data):
    from active_semi_clustering.semi_supervised import pairwise_constraints as peer

    model = getattr(peer, name)(n_clusters=int(data["n_clusters"]))
    must_link, cannot_link = (list(map(tuple, data[kind].tolist())) for kind in ("must_link", "cannot_link"))
    model.fit(data["X"], ml=must_link, cl=cannot_link)
    return model.labels_


def mmc_diagonal(data):
    from metric_learn import MMC

    X = data["X"]
    pairs = np.vstack([data["must_link"], data["cannot_link"]])
    kinds = np.repeat([1, -1], [len(data["must_link"]), len(data["cannot_link"])])
    model = MMC(diagonal=True, max_iter=100, random_state=0).fit(X[pairs], kinds)
    return np.diag(model.get_mahalanobis_matrix())


def main(method, path):
    warnings.simplefilter("ignore")
    np.random.seed(0)  # noqa: NPY002  (the peers draw from the global state)
    data = dict(np.load(path))
    work = mmc_diagonal if method == "MMC" else lambda data: constrained(method, data)
    start = time.perf_counter()
    try:
        found, failure = work(data), None
    except Exception as problem:  # a peer that fails is reported, not hidden
        found, failure = None, f"{type(problem).__name__}: {problem}"
    seconds = time.perf_counter() - start
    answer = {"seconds": seconds, "failure": failure}
    if found is not None:
        answer["weights" if method == "MMC" else "labels"] = np.asarray(found).tolist()
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
