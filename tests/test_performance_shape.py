"""How much work is done, counted and not timed (PERF)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Runs, pass_file, python, write

COUNTING = """
    import gc, json, os, sys

    opened = []
    def note(event, arguments):
        if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
            opened.append(os.fsdecode(arguments[0]))
    sys.addaudithook(note)

    def opened_in(directory):
        return [path for path in opened if path.startswith(directory)]

    calls = {"stat": 0, "lstat": 0, "scandir": 0, "listdir": 0}
    def count(name):
        plain = getattr(os, name)
        def counted(*arguments, **keywords):
            calls[name] += 1
            return plain(*arguments, **keywords)
        setattr(os, name, counted)

    def state():
        from gepass.importing.importer import importer
        from gepass.importing.table import table
        import linecache
        gc.collect()
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
        return {
            "modules": len(sys.modules),
            "meta_path": len(sys.meta_path),
            "path": len(sys.path),
            "table": len(table.by_name) + len(table.by_path),
            "importer": len(importer._units) + len(importer._directories),
            "registry": len(gepass.default_registry()),
            "importer_cache": len(sys.path_importer_cache),
            "lines": len(linecache.cache),
            "subclasses": len(gepass.FusionBasePass.__subclasses__()),
            "objects": len(gc.get_objects()),
            "kilobytes": pages * 4,
        }
"""


def run(code: str, **env: str) -> object:
    """Run code after the helpers of ``COUNTING``, and return what it printed as JSON."""
    # A coverage run would look at files, and keep data, of its own.
    without = {"COVERAGE_PROCESS_CONFIG": "", "COVERAGE_PROCESS_START": ""}
    done = python(_dedent(COUNTING) + _dedent(code), env={**env, **without}, timeout=300)
    assert done.stderr == ""
    answer: object = json.loads(done.stdout)
    return answer


def _dedent(code: str) -> str:
    lines = code.splitlines()
    indent = len(lines[1]) - len(lines[1].lstrip())
    return "\n".join(line[indent:] for line in lines) + "\n"


@pytest.fixture
def distributions(tmp_path: Path) -> Path:
    """Return a directory with 300 installed distributions, none of which is a plugin."""
    for number in range(300):
        info = tmp_path / "site" / f"made_up_{number}-1.0.dist-info"
        write(info / "METADATA", f"Name: made-up-{number}\nVersion: 1.0\n")
        write(info / "entry_points.txt", "[console_scripts]\nx = y:z\n")
    return tmp_path / "site"


class TestDistributions:
    def test_perf_01_importing_scans_no_distribution(self, distributions: Path) -> None:
        code = """
            import gepass
            imported = len(opened_in(os.environ["PYTHONPATH"]))
            import gepass.cli
            gepass.cli.main(['--version'])
            sys.stdout.flush()
            print(json.dumps([imported, len(opened_in(os.environ["PYTHONPATH"]))]))
        """
        code = code.replace(
            'gepass.cli.main(["--version"])', "gepass.cli.main(['--version'])"
        )
        done = python(
            _dedent(COUNTING) + _dedent(code), env={"PYTHONPATH": str(distributions)}
        )
        assert done.stderr == ""
        version, counts = done.stdout.splitlines()
        assert version.startswith("gepass ")
        assert json.loads(counts) == [0, 0]

    def test_perf_01_perf_02_many_loads_scan_at_most_once(
        self, d: Path, distributions: Path
    ) -> None:
        """PERF-01 and PERF-02: once in a process, whatever is loaded."""
        write(d / "a.py", pass_file("A"))
        code = """
            import gepass
            D, SITE = os.environ["D"], os.environ["PYTHONPATH"]
            counts = []
            gepass.load_from_environment()
            counts.append(len(opened_in(SITE)))
            for _ in range(50):
                gepass.load_passes(D)
                gepass.export_registry(gepass.default_registry()).to_json()
            counts.append(len(opened_in(SITE)))
            print(json.dumps(counts))
        """
        counts = run(code, D=str(d), PYTHONPATH=str(distributions))

        assert isinstance(counts, list)
        assert all(count <= 300 for count in counts)

    @pytest.mark.parametrize("command", ["check", "load", "export", "schema", "demo"])
    def test_perf_02_a_command_scans_at_most_once(
        self, d: Path, distributions: Path, command: str
    ) -> None:
        write(d / "a.py", pass_file("A"))
        code = """
            from gepass.cli import main
            command = os.environ["COMMAND"]
            with_path = command in {"check", "load", "export"}
            code = main([command, *(["--path", os.environ["D"]] if with_path else [])])
            sys.stderr.write(json.dumps([code, len(opened_in(os.environ["PYTHONPATH"]))]))
        """
        done = python(
            _dedent(COUNTING) + _dedent(code),
            env={"D": str(d), "PYTHONPATH": str(distributions), "COMMAND": command},
        )

        code_and_count = json.loads(done.stderr.splitlines()[-1])
        assert code_and_count[0] == 0
        assert code_and_count[1] <= 300


class TestFiles:
    def test_perf_03_ten_loads_read_and_run_each_file_once(
        self, d: Path, runs: Runs
    ) -> None:
        for number in range(200):
            write(d / f"pass_{number:03}.py", pass_file(f"P{number:03}"))
        code = """
            import gepass
            D = os.environ["D"]
            for name in calls:
                count(name)
            answers = []
            for _ in range(10):
                for name in calls:
                    calls[name] = 0
                opened.clear()
                report = gepass.load_passes(D)
                answers.append([len(opened_in(D)), dict(calls), report.modules[0].status])
            print(json.dumps(answers))
        """
        answers = run(code, D=str(d))

        assert isinstance(answers, list)
        first, *later = answers
        assert first[0] == 200
        assert first[2] == "loaded"
        assert len(runs.files) == 200
        for opened, calls, status in later:
            assert (opened, status) == (0, "already_loaded")
            assert calls == later[0][1]
            assert calls["stat"] + calls["lstat"] <= 200 + 20
            assert calls["scandir"] == 1

    def test_perf_03_later_uses_of_the_process_wide_load_look_once_at_each_file(
        self, d: Path, runs: Runs
    ) -> None:
        for number in range(50):
            write(d / f"pass_{number:03}.py", pass_file(f"P{number:03}"))
        code = """
            import gepass
            D = os.environ["ASCEND_GE_PY_PASS_PATH"]
            gepass.load_from_environment()
            for name in calls:
                count(name)
            opened.clear()
            for _ in range(10):
                gepass.load_from_environment()
            print(json.dumps([len(opened_in(D)), calls]))
        """
        answer = run(code, ASCEND_GE_PY_PASS_PATH=str(d))

        assert answer == [0, {"stat": 500, "lstat": 0, "scandir": 0, "listdir": 0}]
        assert len(runs.files) == 50

    def test_perf_03_a_check_of_many_segments_scans_each_once(self, d: Path) -> None:
        write(d / "a.py", pass_file("A"))
        code = """
            import gepass
            D = os.environ["D"]
            gepass.load_passes(D)
            count("scandir")
            gepass.load_passes(":".join([D] * 50))
            print(json.dumps(calls["scandir"]))
        """
        assert run(code, D=str(d)) == 50


class TestLongRunningProcesses:
    @pytest.mark.parametrize("what", ["load", "fail", "fresh"])
    def test_perf_04_tables_and_memory_stay_flat(
        self, d: Path, tmp_path: Path, what: str
    ) -> None:
        """PERF-04: load and unload, failing loads, and other files each time."""
        helper = "import _helper\nfrom pack import part\n"
        write(d / "a.py", pass_file("A", before=helper))
        write(d / "_helper.py", "VALUE = 1\n")
        write(d / "pack/__init__.py", pass_file("P"))
        write(d / "pack/part.py", pass_file("Q"))
        if what == "fail":
            write(d / "z.py", "1 / 0\n")
        code = """
            import logging, shutil, gepass
            logging.getLogger("gepass").setLevel("CRITICAL")
            D, FRESH, WHAT = os.environ["D"], os.environ["FRESH"], os.environ["WHAT"]
            os.environ["TEST_RUNS"] = "/dev/null"

            def once(number):
                directory = D
                if WHAT == "fresh":
                    directory = shutil.copytree(D, f"{FRESH}/{number}")
                try:
                    gepass.load_passes(directory)
                    gepass.unload()
                except gepass.ModuleLoadError:
                    assert WHAT == "fail"
                if WHAT == "fresh":
                    shutil.rmtree(directory)

            states = []
            for number in range(1000):
                once(number)
                opened.clear()
                if number in {99, 999}:
                    states.append(state())
            print(json.dumps(states))
        """
        states = run(code, D=str(d), FRESH=str(tmp_path), WHAT=what)

        assert isinstance(states, list)
        early, late = states
        for key in early:
            if key not in {"objects", "kilobytes"}:
                assert late[key] == early[key], key
        assert late["objects"] < early["objects"] + 500
        assert late["kilobytes"] < early["kilobytes"] + 2048
        assert (early["registry"], early["table"]) == (0, 0)
