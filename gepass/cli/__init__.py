"""
The command line: one module a command, all thin over the library.

Results go to standard output, everything else to standard error. Exit codes: 0 fine,
1 a problem was found, 2 wrong usage.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from typing import Final

import click

from gepass.cli.output import discard, open_missing_descriptors, show_error
from gepass.errors import DocumentWriteError, GepassError, InternalError
from gepass.importing.failures import exception_text
from gepass.version import __version__

__all__ = ["commands", "main", "run"]

_INTERRUPTED: Final = 130


_COMMANDS: Final = ("check", "demo", "export", "load", "schema")
"""Each is a function in the module of its name."""


class _Commands(click.Group):
    """Imports a command when it is asked for, so that each pays for itself alone."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names of all commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, ``None`` when there is none of that name."""
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"gepass.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(
    cls=_Commands,
    name="gepass",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: gepass load --path ~/passes",
)
@click.version_option(__version__, message="gepass %(version)s")
def commands() -> None:
    """Check, load and export Python passes for the Ascend Graph Engine."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; nothing escapes as a traceback."""
    open_missing_descriptors()
    try:
        result = commands.main(arguments, prog_name="gepass", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("gepass: interrupted", err=True)
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001 - user code can break anything in the process
        _show_failure(error)
        return 1
    return result if isinstance(result, int) else 0


def _show_failure(error: Exception) -> None:
    if isinstance(error, GepassError):
        show_error(error)
    elif isinstance(error, BrokenPipeError):
        # Whoever read the output has seen enough; the interpreter must not complain.
        discard(1)
    elif isinstance(error, OSError):
        discard(1)
        msg = f"cannot write to standard output: {error.strerror or error}"
        show_error(DocumentWriteError(msg))
    else:
        msg = (
            f"gepass itself failed with {type(error).__name__}: {exception_text(error)}; "
            "a pass file may have changed what gepass relies on, load the files one by one"
        )
        show_error(InternalError(msg), traceback.format_exception(error))


def run() -> None:
    """Run a command as the process: what ``gepass`` on the shell calls."""
    sys.exit(main())
