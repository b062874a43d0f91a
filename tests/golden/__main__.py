"""Write the golden documents anew: ``python -m tests.golden``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.golden import FOLDER, make

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        for name, data in make(Path(directory)).items():
            (FOLDER / name).write_bytes(data)
