"""`concordant bench` without the packages that some suites need."""

import subprocess
import sys
import textwrap

import pytest

from commands import environment, run
from concordant.bench.suites import SUITES, Plan, get
from concordant.bench.suites.exactness import KINDS, best_known
from concordant.errors import InputError


def test_suites_are_listed_without_scikit_learn():
    script = """
        import sys

        sys.modules["sklearn"] = None
        sys.argv = ["concordant", "bench", "suites"]
        from concordant.cli import main

        main()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    names = [line.split(maxsplit=1)[0] for line in done.stdout.splitlines() if line[:1].isalpha()]
    assert set(SUITES) <= set(names)


class TestExactness:
    def test_each_kind_can_be_drawn(self):
        for task in get("exactness").tasks(Plan("smoke")):
            data = task.instance.load()
            assert data.n_items == KINDS[task.instance.labels["kind"]].items

    def test_best_known_values(self, tmp_path):
        path = tmp_path / "best.txt"
        path.write_text("name objective\n# published\na 12\nb,3.5\n\n")
        assert best_known(path) == {"a": 12.0, "b": 3.5}
        path.write_text("a 12\nb\n")
        with pytest.raises(InputError, match=r"line 2.*a name and a value"):
            best_known(path)
        with pytest.raises(InputError, match="cannot be read"):
            best_known(tmp_path / "none")

    def test_a_folder_of_matrices_beside_their_best_values(self, tmp_path):
        folder = tmp_path / "matrices"
        folder.mkdir()
        (folder / "N-small.lop").write_text("3\n0 5 1\n2 0 6\n4 1 0\n")
        (tmp_path / "best.txt").write_text("N-small 14\n")
        store = tmp_path / "store"
        done = run(
            "bench", "run", "exactness", "--instances", folder, "--best", tmp_path / "best.txt",
            "--store", store, "--quiet",
        )  # fmt: skip
        assert (done.exit_code, done.stderr) == (0, "")
        done = run("bench", "report", store, "--output", tmp_path / "report")
        assert done.exit_code == 0, done.stderr
        text = (tmp_path / "report" / "report.md").read_text()
        [line] = [line for line in text.splitlines() if line.startswith("| N-small")]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        # The largest sum above the diagonal is 5 + 1 + 6.
        assert cells[2] == "optimal"
        assert cells[6:9] == ["12", "14", "14.3 %"]
