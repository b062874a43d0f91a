"""
The chain from ``ASCEND_GE_PY_PASS_PATH`` to registered fusion passes, typed.

Importing gepass reads no environment, configures no logging, and leaves the import
system alone.
"""

from __future__ import annotations

__all__ = [
    "DecomposePass",
    "DocumentError",
    "DuplicatePassError",
    "FusionBasePass",
    "GepassError",
    "LoadInProgressError",
    "LoadReport",
    "ModuleLoadError",
    "ModuleOutcome",
    "ModuleSource",
    "PassContext",
    "PassKind",
    "PassNotFoundError",
    "PassPathError",
    "PassPathNotFoundError",
    "PassPathPermissionError",
    "PassPathSpec",
    "PassPathValueError",
    "PassRegistry",
    "PassStage",
    "PatternFusionPass",
    "Problem",
    "RegistrationError",
    "RegistrationRecord",
    "RegistrationTypeError",
    "RegistrationValueError",
    "RegistryDocument",
    "ScanResult",
    "SettingError",
    "SkippedEntry",
    "__version__",
    "default_registry",
    "export_registry",
    "load_from_environment",
    "load_passes",
    "parse_pass_path",
    "pattern",
    "register_decompose_pass",
    "register_fusion_pass",
    "scan",
    "unload",
]

from gepass.decorators import register_decompose_pass, register_fusion_pass
from gepass.errors import (
    DocumentError,
    DuplicatePassError,
    GepassError,
    LoadInProgressError,
    ModuleLoadError,
    PassNotFoundError,
    PassPathError,
    PassPathNotFoundError,
    PassPathPermissionError,
    PassPathValueError,
    Problem,
    RegistrationError,
    RegistrationTypeError,
    RegistrationValueError,
    SettingError,
)
from gepass.export import export_registry
from gepass.outcomes import LoadReport, ModuleOutcome
from gepass.passes import (
    DecomposePass,
    FusionBasePass,
    PassContext,
    PatternFusionPass,
    pattern,
)
from gepass.path_spec import PassPathSpec, parse_pass_path
from gepass.process import load_from_environment, load_passes, unload
from gepass.records import RegistrationRecord, RegistryDocument
from gepass.registry import PassRegistry, default_registry
from gepass.scanning import ModuleSource, ScanResult, SkippedEntry, scan
from gepass.stages import PassKind, PassStage
from gepass.version import __version__
