"""The environment is read when a load asks for it, and nowhere else."""

from __future__ import annotations

import pytest

import gepass
from gepass.environ import PASS_PATH, read_pass_path, read_settings
from gepass.errors import Code
from tests.support import python


class TestPassPath:
    @pytest.mark.parametrize("value", ["", " ", "/a:/b", "融", "\udcff"])
    def test_the_value_is_returned_as_it_is(
        self, monkeypatch: pytest.MonkeyPatch, value: str
    ) -> None:
        monkeypatch.setenv(PASS_PATH, value)
        assert read_pass_path() == value

    def test_unset_is_none(self) -> None:
        assert read_pass_path() is None


class TestSettings:
    def test_nothing_set_leaves_everything_open(self) -> None:
        settings = read_settings()

        assert settings.on_error is None
        assert settings.log_level is None
        assert settings.log_format is None
        assert settings.unknown == ()

    @pytest.mark.parametrize(
        ("name", "field", "values"),
        [
            ("GEPASS_ON_ERROR", "on_error", ["raise", "isolate"]),
            ("GEPASS_LOG_LEVEL", "log_level", ["debug", "info", "warning", "error"]),
            ("GEPASS_LOG_FORMAT", "log_format", ["console", "json"]),
        ],
    )
    def test_each_allowed_value_is_read_without_outer_blanks(
        self, monkeypatch: pytest.MonkeyPatch, name: str, field: str, values: list[str]
    ) -> None:
        for value in values:
            monkeypatch.setenv(name, f" {value}\n")
            assert getattr(read_settings(), field) == value
        monkeypatch.setenv(name, " ")
        assert getattr(read_settings(), field) is None

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            ("nope", "'nope'"),
            ("isolate,raise", "'isolate,raise'"),
            ("no\npe\x1b[2J", r"'no\npe\x1b[2J'"),
            ("\udcff", r"'\udcff'"),
        ],
    )
    def test_cli_08_a_wrong_value_is_named_on_one_line(
        self, monkeypatch: pytest.MonkeyPatch, value: str, shown: str
    ) -> None:
        monkeypatch.setenv("GEPASS_ON_ERROR", value)
        with pytest.raises(gepass.SettingError) as caught:
            read_settings()

        text = str(caught.value)
        assert text.isprintable()
        assert text.replace("\\\\", "\\") == (
            f"GEPASS_ON_ERROR={shown} is not allowed; use one of: raise, isolate"
        )
        assert caught.value.code is Code.SETTING_INVALID

    def test_unknown_settings_are_named_with_the_nearest_known_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("GEPASS_LOGLEVEL", "GEPASS_X\x1b", "OTHER_GEPASS_LOG_LEVEL"):
            monkeypatch.setenv(name, "1")
        unknown = read_settings().unknown

        no_effect = "is not a setting of this version and has no effect"
        assert [problem.message for problem in unknown] == [
            f"GEPASS_LOGLEVEL {no_effect}; did you mean GEPASS_LOG_LEVEL?",
            f"GEPASS_X\\x1b {no_effect}",
        ]
        assert {problem.code for problem in unknown} == {Code.SETTING_UNKNOWN}


def test_importing_gepass_reads_none_of_it() -> None:
    code = """
        import os
        asked = []
        kind = type(os.environ)
        def watched(method):
            def call(self, key=None, *rest):
                asked.append(key)
                return method(self, key, *rest)
            return call
        kind.__getitem__ = watched(kind.__getitem__)
        def iterate(self, plain=kind.__iter__):
            asked.append("every name")
            return plain(self)
        kind.__iter__ = iterate
        import gepass
        mine = [key for key in asked if key is None or "GE" in key or key == "every name"]
        assert not mine, mine
        gepass.load_from_environment()
        assert "ASCEND_GE_PY_PASS_PATH" in asked
    """
    done = python(code, env={"GEPASS_ON_ERROR": "raise"})
    assert (done.returncode, done.stderr) == (0, "")
