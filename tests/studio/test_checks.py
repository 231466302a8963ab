"""That every check of a real browser is there."""

import re
from pathlib import Path

N_CHECKS = 30


def test_each_check_is_a_test_in_a_browser():
    pages = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_page*.py")))
    found = {int(number) for number in re.findall(r"^def test_check_(\d\d)_", pages, re.MULTILINE)}
    assert found == set(range(1, N_CHECKS + 1))
