"""The benchmark of the studio: it runs, and says what it found."""

from benchmarks.studio.command import WORKS, answers


def test_a_few_answers_at_speed(tmp_path):
    lines = answers(tmp_path, 12, rate=20.0)
    found = {line.what: line for line in lines}
    assert set(WORKS) == {"answers", "kills", "soak", "soak-dask", "size", "page"}
    assert found["answers that the session does not have, once each"].measured == "0"
    assert found["exported hints that say something else"].met
