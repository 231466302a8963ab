"""What the README shows is true."""

import re
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_and_prints_what_it_says(capsys):
    first, second = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names = {}
    exec(compile(first, "README.md", "exec"), names)
    without, with_hints = (float(line) for line in capsys.readouterr().out.split())
    claimed = [float(number) for number in re.findall(r"0\.\d\d", first)]
    assert [without, with_hints] == claimed
    exec(compile(second, "README.md", "exec"), names)
    assert len(names["labels"]) == len(names["X"])
    assert "hints kept" in capsys.readouterr().out
    assert names["model"].constraints_.n_must_link == names["hints"].n_must_link + 1


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (Path(__file__).parents[1] / target).exists(), target
