"""
What child processes run and time: ``python -m tests.benchmarks.works NAME [ARGUMENT]``.

The modules that a work needs are imported before its clock starts, its arguments are
prepared, and what it returns stays alive until the clock has stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TextIO

import structlog

import gepass
from gepass import logs
from gepass.records import EnvironmentOrigin, RecordSource
from gepass.registry import Registration

Action = Callable[[], object]
"""The part of a work that is timed."""


def main() -> None:
    """Run the work that the arguments name, and write its time and peak memory."""
    action = _WORKS[sys.argv[1]](*sys.argv[2:])
    started = time.perf_counter()
    result = action()
    seconds = time.perf_counter() - started
    del result
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    json.dump({"seconds": seconds, "peak_bytes": peak}, sys.stdout)


def _nothing() -> Action:
    return lambda: None


def _execute(directory: str) -> Action:
    """Read, hash, compile and execute each file: the least that any loader does."""

    def execute() -> list[ModuleType]:
        modules = []
        for name in sorted(os.listdir(directory)):  # noqa: PTH208 - nothing to spare
            path = f"{directory}/{name}"
            with open(path, "rb") as file:  # noqa: PTH123 - likewise
                data = file.read()
            hashlib.sha256(data).hexdigest()
            module = ModuleType(name.removesuffix(".py"))
            module.__file__ = path
            code = compile(data, path, "exec", dont_inherit=True)
            exec(code, vars(module))  # noqa: S102 - what gepass does, too
            modules.append(module)
        return modules

    return execute


def _load(directory: str) -> Action:
    return partial(gepass.load_passes, directory)


def _load_with_structlog(directory: str, log_file: str) -> Action:
    """Load as an application does that writes JSON events of its own."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        logger_factory=structlog.WriteLoggerFactory(file=_open_log(log_file)),
    )
    return _load(directory)


def _load_with_log_file(directory: str, log_file: str) -> Action:
    """Load as the command line does with ``--log-file``."""
    logging = logs.configured(
        level="warning",
        style="console",
        stream=sys.stderr,
        log_file=_open_log(log_file),
    )

    def load() -> object:
        with logging:
            return gepass.load_passes(directory)

    return load


def _open_log(path: str) -> TextIO:
    return Path(path).open("w", encoding="utf-8")


def _export(count: str) -> Action:
    registry = _registry_of(int(count))
    return lambda: gepass.export_registry(registry).to_json()


def _dump(count: str) -> Action:
    document = gepass.export_registry(_registry_of(int(count))).to_json()
    return partial(json.dumps, json.loads(document))


def _registry_of(count: int) -> gepass.PassRegistry:
    registry = gepass.PassRegistry()
    registry.add_all([_registration(index) for index in range(count)])
    return registry


def _registration(index: int) -> Registration:
    path = f"/opt/passes/fold_scale_{index:05}.py"
    digest = hashlib.sha256(path.encode()).hexdigest()
    record = gepass.RegistrationRecord(
        pass_name=f"FoldScale{index}",
        module_name=f"_ge_py_pass_fold_scale_{index:05}_{digest[:32]}",
        class_name=f"FoldScale{index}",
        stage=gepass.PassStage.BEFORE_INFER_SHAPE,
        kind=gepass.PassKind.FUSION_BASE,
        source=RecordSource(path=path, sha256=digest, line=11),
        origin=EnvironmentOrigin(position=0),
    )
    return Registration(record=record, pass_class=gepass.FusionBasePass)


_WORKS: dict[str, Callable[..., Action]] = {
    "nothing": _nothing,
    "execute": _execute,
    "load": _load,
    "load_with_structlog": _load_with_structlog,
    "load_with_log_file": _load_with_log_file,
    "export": _export,
    "dump": _dump,
}

if __name__ == "__main__":
    main()
