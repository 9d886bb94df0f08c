"""`concordant report` that is interrupted."""

import pytest

import concordant as cc
from commands import CAFES, run

pytest.importorskip("matplotlib")


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "result.json"
    cc.aggregate(cc.read(CAFES)).save(path)
    return path


def test_samples_so_far_are_kept(saved, tmp_path, monkeypatch):
    def interrupt(self, finished, total):
        raise KeyboardInterrupt

    monkeypatch.setattr("concordant.cli.progress.Reporter.samples", interrupt)
    out = tmp_path / "page.html"
    done = run("report", saved, CAFES, "-o", out, "--bootstrap", 1_000_000, "-q")
    assert done.exit_code == 130
    assert "interrupted: the report has " in done.stderr
    assert " of 1,000,000 bootstrap samples" in done.stderr
    assert str(out) in done.stdout
    assert "1,000,000" in out.read_text(encoding="utf-8")


def test_without_samples_nothing_is_written(saved, tmp_path, monkeypatch):
    def interrupt(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("concordant.resampling.bootstrap", interrupt)
    done = run("report", saved, CAFES, "-o", tmp_path / "page.html", "--bootstrap", 5)
    assert (done.exit_code, done.stdout) == (130, "")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
