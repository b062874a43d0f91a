"""``python -m gepass``."""

from __future__ import annotations

from gepass.cli import run

if __name__ == "__main__":
    run()
