"""What the README shows is true."""

import re
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_and_prints_what_it_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    without, with_hints = (float(line) for line in capsys.readouterr().out.split())
    claimed = [float(number) for number in re.findall(r"0\.\d\d", code)]
    assert [without, with_hints] == claimed


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (Path(__file__).parents[1] / target).exists(), target
