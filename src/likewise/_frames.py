"""Data frames of pandas, polars or Arrow, whichever is installed."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from typing import Any, cast

BACKENDS = ("pandas", "polars", "pyarrow")


def repeated_name(X: Any) -> ValueError | None:
    """An error if a pandas data frame has duplicate column names, which other packages do not allow; else None.

    >>> import pandas as pd
    >>> repeated_name(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    ValueError("X has 2 columns called 'a'. ...")
    """
    if not (hasattr(X, "iloc") and hasattr(X, "columns")):
        return None
    names = Counter(X.columns).most_common(1)
    if not names or names[0][1] == 1:
        return None
    return ValueError(
        f"X has {names[0][1]} columns called {names[0][0]!r}. Give each column a name of its own, or pass the numbers "
        "alone: X.to_numpy()."
    )


def make_frame(columns: dict[str, Any], backend: str | None) -> Any:
    """Create a data frame from columns.

    Parameters
    ----------
    columns : dict of str to lists or arrays
    backend : {"pandas", "polars", "pyarrow"}, optional
        If None, the first of them that is installed.

    Examples
    --------
    >>> make_frame({"a": [1, 2]}, "polars").shape
    (2, 1)
    """
    import narwhals.stable.v1 as nw

    if backend not in (None, *BACKENDS):
        raise ValueError(f"backend={backend!r} is not known. Use one of {', '.join(map(repr, BACKENDS))}.")
    wanted = BACKENDS if backend is None else (backend,)
    found = next((name for name in wanted if find_spec(name) is not None), None)
    if found is None:
        raise ModuleNotFoundError(
            f"a data frame needs {' or '.join(wanted)}, which this Python does not have. Install it, such as by pip "
            f"install {wanted[0]}."
        )
    return nw.from_dict(columns, backend=cast("Any", found)).to_native()
