"""
The error tree of gepass and its table of stable codes.

Everything that gepass raises on purpose is a ``GepassError``. Each class also has the
built-in parent that the contract promises, so ``except FileNotFoundError`` works for
those who do not know gepass. Data travels as attributes, the text is complete by itself:
where, what was found, what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from typing_extensions import Self

from gepass.path_text import PathText

if TYPE_CHECKING:
    from pathlib import Path

    from gepass.outcomes import LoadReport


__all__ = [
    "Code",
    "DocumentError",
    "DocumentWriteError",
    "DuplicatePassError",
    "GepassError",
    "InternalError",
    "LoadInProgressError",
    "ModuleLoadError",
    "PassClassError",
    "PassNotFoundError",
    "PassNotLoadedError",
    "PassPathError",
    "PassPathNotFoundError",
    "PassPathPermissionError",
    "PassPathValueError",
    "Problem",
    "RegistrationError",
    "RegistrationTypeError",
    "RegistrationValueError",
    "SettingError",
    "SourceReadError",
]


class Code(str, Enum):
    """
    The stable codes of errors and warnings, each with its one-line meaning.

    1xx: the variable and the settings. 2xx: loading. 3xx: registration. 4xx: documents.
    9xx: gepass itself.
    """

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Self:
        """Keep the meaning beside the code."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    PATH_NOT_FOUND = "GP101", "a segment names nothing that exists"
    PATH_NOT_PYTHON = "GP102", "a segment is a file whose name does not end in .py"
    PATH_NOT_REGULAR = "GP103", "a segment is neither a directory nor a regular file"
    PATH_UNUSABLE = "GP104", "a segment cannot be a path (NUL byte, length, link loop)"
    PATH_NOT_READABLE = "GP105", "a segment may not be read"
    SEGMENT_EMPTY = "GP106", "an empty segment was dropped"
    SETTING_INVALID = "GP110", "a GEPASS_* setting has a value that is not allowed"
    SETTING_UNKNOWN = "GP111", "a GEPASS_* variable that this version does not know"
    SETTING_BINDS = "GP112", "a setting of the operator overrules a looser argument"

    MODULE_FAILED = "GP201", "the code of a pass file or package raised an exception"
    MODULE_NOT_COMPILED = "GP202", "a source file could not be compiled"
    MODULE_NOT_READ = "GP203", "a source file vanished or could not be read"
    LOAD_IN_PROGRESS = "GP204", "a load was asked for by code that a load waits for"
    REGISTERED_NOTHING = "GP205", "a module was loaded and registered no pass"
    CHANGED_SINCE_LOADED = "GP206", "a file changed after it was loaded"
    VARIABLE_CHANGED = "GP207", "the variable changed after the process-wide load"
    NOTHING_FOUND = "GP208", "a directory holds no pass file and no package"
    NOT_A_PACKAGE = "GP209", "a subdirectory has .py files but no __init__.py"
    HIDES_INSTALLED = "GP210", "a file of a pass directory hides an installed module"
    NOT_IMPORTABLE = "GP211", "a package's plain name cannot be imported by siblings"
    NOT_LOADED_HERE = "GP212", "no load has taken place in this process"
    UNLOAD_TOO_MANY = "GP213", "there was nothing left to unload"
    EVENT_LOST = "GP214", "an event could not be written to the log"
    GE_DIFFERS = "GP215", "ge_differs: GE's own loader would not take this"
    NOT_READ_BY_CHECK = "GP217", "a file may register passes that a check cannot read"
    PASS_NOT_LOADED = "GP216", "a stored pass belongs to a file not loaded here"

    REGISTRATION_TYPE = "GP301", "an argument of a decorator has the wrong type"
    REGISTRATION_VALUE = "GP302", "an argument of a decorator has a wrong value"
    DUPLICATE_PASS = "GP303", "two registrations claim one pass name"
    PASS_NOT_FOUND = "GP304", "no registered pass has that name"
    PASS_CLASS = "GP305", "the body of a pass class breaks a rule of its base"
    CLASS_REPLACED = "GP306", "another decorator replaced a registered class"

    DOCUMENT_INVALID = "GP401", "a document does not fit its schema"
    DOCUMENT_VERSION = "GP402", "a document has another major schema version"
    DOCUMENT_NOT_WRITTEN = "GP403", "a document could not be written"

    INTERNAL = "GP900", "gepass itself failed, perhaps by what a pass file changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One finding about the user's input: an error or a warning, by context."""

    code: Code
    message: str
    position: int | None = None
    """0-based position of the segment concerned, empty segments counted."""
    path: PathText | None = None
    line: int | None = None


class GepassError(Exception):
    """
    Base of everything that gepass raises on purpose.

    ``report`` is set when the error ends a load: what was done until then.
    """

    code: Code = Code.MODULE_FAILED

    def __init__(self, message: str, *, code: Code | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.report: LoadReport | None = None
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Pickle by state, since each class takes other arguments."""
        return _restore_error, (type(self), self.args, vars(self).copy())


def _restore_error(
    error_class: type[GepassError], arguments: tuple[object, ...], state: dict[str, object]
) -> GepassError:
    error = error_class.__new__(error_class, *arguments)
    error.args = arguments
    vars(error).update(state)
    return error


class SettingError(GepassError, ValueError):
    """A ``GEPASS_*`` variable or an option has a value that is not allowed."""

    code = Code.SETTING_INVALID


class PassPathError(GepassError):
    """
    At least one segment of the variable cannot be used (R3, R4).

    The class is that of the first problem; ``problems`` and the text list all of them.
    """

    code = Code.PATH_UNUSABLE

    def __init__(
        self,
        message: str,
        *,
        code: Code | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        super().__init__(message, code=code)
        self.problems = problems


class PassPathNotFoundError(PassPathError, FileNotFoundError):
    """The first problem is a segment that names nothing."""

    code = Code.PATH_NOT_FOUND


class PassPathValueError(PassPathError, ValueError):
    """The first problem is a segment that is no directory and no ``.py`` file."""


class PassPathPermissionError(PassPathError, PermissionError):
    """The first problem is a segment that may not be read."""

    code = Code.PATH_NOT_READABLE


class ModuleLoadError(GepassError, ImportError):
    """A pass file or package could not be loaded; ``__cause__`` is what it raised."""

    def __init__(
        self, message: str, *, code: Code | None = None, path: Path, line: int | None
    ) -> None:
        super().__init__(message, code=code)
        self.file = path
        self.line = line


class InternalError(GepassError, RuntimeError):
    """Something that gepass relies on does not hold in this process."""

    code = Code.INTERNAL


class SourceReadError(GepassError, ImportError):
    """A source file vanished during the load, or could not be read."""

    code = Code.MODULE_NOT_READ


class LoadInProgressError(GepassError, RuntimeError):
    """A load was asked for from code that the running load waits for."""

    code = Code.LOAD_IN_PROGRESS


class PassNotLoadedError(GepassError, LookupError):
    """A pickled pass belongs to a file that this process has not loaded."""

    code = Code.PASS_NOT_LOADED


class RegistrationError(GepassError):
    """A registration was refused."""

    code = Code.REGISTRATION_VALUE


class RegistrationTypeError(RegistrationError, TypeError):
    """What was decorated, or an argument of the decorator, has the wrong type."""

    code = Code.REGISTRATION_TYPE


class RegistrationValueError(RegistrationError, ValueError):
    """An argument of the decorator has a value that is not allowed."""


class DuplicatePassError(RegistrationError, ValueError):
    """Two registrations claim one name; ``first`` and ``second`` are their places."""

    code = Code.DUPLICATE_PASS

    def __init__(self, message: str, *, name: str, first: str, second: str) -> None:
        super().__init__(message)
        self.name = name
        self.first = first
        self.second = second


class PassClassError(GepassError, TypeError):
    """The body of a pass class breaks a rule of its base class."""

    code = Code.PASS_CLASS


class PassNotFoundError(GepassError, LookupError):
    """No pass of that name is registered."""

    code = Code.PASS_NOT_FOUND


class DocumentError(GepassError, ValueError):
    """A JSON document is not one that this version can read."""

    code = Code.DOCUMENT_INVALID


class DocumentWriteError(GepassError, OSError):
    """A document could not be written; the old file, if any, is untouched."""

    code = Code.DOCUMENT_NOT_WRITTEN
