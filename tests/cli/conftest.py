"""Small data, as a person would have it."""

import json

import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris

from likewise.cli import main
from likewise.constraints import Constraints

TERMINAL = {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "COLUMNS": "300"}
"""What makes the command line believe that a person is reading."""


class Folder:
    """A folder with flowers in it, and a command line."""

    def __init__(self, path):
        self.path = path
        X, y = load_iris(return_X_y=True)
        self.X, self.y = X, y
        self.ids = [f"f{row}" for row in range(150)]
        self.lines = ["id,a,b,c,d", *(f"f{row},{','.join(map(str, X[row]))}" for row in range(150))]
        self.write("flowers.csv", "\n".join(self.lines))
        Constraints.sample(y, "equal", 15, random_state=0).write(path / "pairs.csv", ids=self.ids)

    def write(self, name, content):
        (self.path / name).write_text(content, encoding="utf-8")
        return self / name

    def __truediv__(self, name):
        return str(self.path / name)

    def names(self):
        return sorted(path.name for path in self.path.iterdir())

    def run(self, *arguments, terminal=False):
        """What a command answers; arguments that name files of the folder are given their path."""
        known = {path.name: str(path) for path in self.path.iterdir()}
        given = [known.get(str(argument), str(argument)) for argument in arguments]
        return CliRunner().invoke(main, given, env=TERMINAL if terminal else {})

    def json(self, *arguments):
        answer = self.run(*arguments, "--json")
        assert answer.exit_code == 0, answer.output
        return json.loads(answer.stdout)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)
