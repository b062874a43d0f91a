"""
Build at the first load what importing gepass leaves undone, where no fork can cut in.

pydantic builds the validators of a model at its first use, if told so, and then looks for
plugins among the installed distributions; that would make importing gepass slow. But a
fork in the middle of it, made by another thread, leaves the child with locks that nobody
holds any more. So it is done once, before any user code runs, and forks wait for it.
"""

from __future__ import annotations

import importlib

from gepass.fork_lock import fork_lock
from gepass.path_spec import PassPathSpec
from gepass.records import (
    DirectOrigin,
    EnvironmentOrigin,
    RecordSource,
    RegistrationRecord,
)

__all__ = ["prepare"]

# Modules that pydantic would import while it builds.
for _needed in ("pydantic.dataclasses", "pydantic.plugin._loader"):
    importlib.import_module(_needed)


def prepare() -> None:
    """Build the models that loads and decorators use; later calls do nothing."""
    if PassPathSpec.__pydantic_complete__:
        return
    with fork_lock:
        for model in (RecordSource, EnvironmentOrigin, DirectOrigin, RegistrationRecord):
            model.model_rebuild()
        # Last, since it tells that everything is there.
        PassPathSpec.model_rebuild()
