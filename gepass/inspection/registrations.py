"""What a registering decorator in a file's text says, judged by the decorators' rules."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Final, cast

from pydantic import ValidationError

from gepass.class_checks import find_construction_fault, find_missing_hook
from gepass.decorators import register_decompose_pass, register_fusion_pass
from gepass.errors import Code, Problem, RegistrationError
from gepass.inspection.mirror import MirroredClass
from gepass.inspection.names import UNKNOWN, Names, read_literal
from gepass.inspection.report import CheckedPass
from gepass.passes import DecomposePass, FusionBasePass, PatternFusionPass
from gepass.path_text import encode_path
from gepass.records import DirectOrigin, RecordSource, RegistrationRecord
from gepass.registration_rules import (
    Place,
    check_class,
    check_kind,
    check_no_decompose_pass,
    read_op_types,
    read_stage,
    refuse_record,
)
from gepass.stages import PassKind, PassStage

__all__ = ["Decoration", "DecorationCheck", "read_decoration"]

_REGISTRARS: Final[tuple[Callable[..., object], ...]] = (
    register_fusion_pass,
    register_decompose_pass,
)
_SOME_OP_TYPE: Final = "Some"
"""In the place of an op type that is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decoration:
    """A use of a registering decorator."""

    function: Callable[..., object]
    line: int
    positional: int
    """Number of positional arguments; the class itself where the call is missing."""
    keywords: dict[str, ast.expr]
    is_open: bool
    """Whether ``**`` may bring more keywords."""


def read_decoration(node: ast.expr, names: Names) -> Decoration | None:
    """Read a decorator; ``None`` when it is not known to be a registering one."""
    call = node if isinstance(node, ast.Call) else None
    meaning = names.resolve(node if call is None else call.func)
    for function in _REGISTRARS:
        if meaning is function:
            return _decoration(function, node.lineno, call)
    return None


def _decoration(
    function: Callable[..., object], line: int, call: ast.Call | None
) -> Decoration:
    if call is None:
        return Decoration(
            function=function, line=line, positional=1, keywords={}, is_open=False
        )
    return Decoration(
        function=function,
        line=line,
        positional=sum(not isinstance(value, ast.Starred) for value in call.args),
        keywords={k.arg: k.value for k in call.keywords if k.arg is not None},
        is_open=any(k.arg is None for k in call.keywords),
    )


class DecorationCheck:
    """Checks a decoration step by step, in the order of a load, and keeps what it finds."""

    def __init__(
        self, decoration: Decoration, names: Names, path: Path, code: CodeType
    ) -> None:
        self.problems: list[Problem] = []
        self._decoration = decoration
        self._names = names
        self._path = path
        self._place = Place(code, "", encode_path(path), decoration.line)
        self._pass_name: str | None = None
        self._stage: PassStage | None = None
        self._kind: PassKind | None = None
        self._op_types: tuple[str, ...] | None = ()
        if decoration.function is register_decompose_pass:
            self._kind, self._op_types = PassKind.DECOMPOSE, None

    def check_made(self) -> None:
        """Check what happens when the decorator is made."""
        for node in self._decoration.keywords.values():
            self._fail(_find_member_fault(node, self._names))
        self._fail(_find_call_fault(self._decoration))
        op_types = self._decoration.keywords.get("op_types")
        if op_types is not None and self._kind is PassKind.DECOMPOSE:
            with self._collecting():
                self._op_types = self._read_op_types(op_types)

    def check_applied(self, target: object) -> None:
        """Check what happens when it is applied; ``UNKNOWN`` breaks no rule."""
        if target is not UNKNOWN:
            with self._collecting():
                self._check_target(target)
        elif self._kind is None:
            self._kind = self._given_kind()
        with self._collecting():
            self._check_stage()
        with self._collecting():
            self._check_name()

    def result(self, class_name: str, *, certain: bool) -> CheckedPass:
        """Return the pass as far as it is known."""
        return CheckedPass(
            pass_name=self._pass_name,
            stage=None if self._stage is None else self._stage.value,
            kind=None if self._kind is None else self._kind.value,
            op_types=self._op_types,
            class_name=class_name,
            path=self._path,
            line=self._decoration.line,
            certain=certain,
        )

    def _check_target(self, target: object) -> None:
        cls = target.mirror if isinstance(target, MirroredClass) else target
        complete = not isinstance(target, MirroredClass) or target.complete
        function = self._decoration.function
        base = DecomposePass if function is register_decompose_pass else FusionBasePass
        if not complete and isinstance(cls, type) and not issubclass(cls, base):
            self._kind = self._kind or self._given_kind()
            return
        check_class(cls, base, function.__name__, self._place)
        self._check_pass_class(cast("type", cls), complete=complete)

    def _check_pass_class(self, cls: type, *, complete: bool) -> None:
        fusion = self._decoration.function is register_fusion_pass
        if fusion:
            check_no_decompose_pass(cls, self._place)
            self._kind = self._implied_kind(cls, complete=complete)
        kind = self._kind
        if kind is not None and fusion:
            given = self._value("kind")
            if given is not UNKNOWN:
                check_kind(cls, given, kind, self._place)
        fault = find_construction_fault(cls)
        if fault is None and kind is not None:
            fault = find_missing_hook(cls, kind)
        if fault is not None:
            self._place.refuse_type(fault)

    def _implied_kind(self, cls: type, *, complete: bool) -> PassKind | None:
        if issubclass(cls, PatternFusionPass):
            return PassKind.PATTERN_FUSION
        return PassKind.FUSION_BASE if complete else self._given_kind()

    def _given_kind(self) -> PassKind | None:
        """Return the kind that the decorator names, where the class does not tell it."""
        given = self._value("kind")
        return next((kind for kind in PassKind if kind == given), None)

    def _check_stage(self) -> None:
        value = self._value("stage")
        if value is not UNKNOWN:
            self._stage = read_stage(value, self._place)

    def _check_name(self) -> None:
        node = self._decoration.keywords.get("name")
        name = UNKNOWN if node is None else read_literal(node)
        if name is UNKNOWN:
            return
        try:
            record = RegistrationRecord(
                pass_name=name,  # type: ignore[arg-type] # validated right here
                module_name="any",
                class_name="Any",
                stage=PassStage.BEFORE_INFER_SHAPE,
                kind=PassKind.FUSION_BASE,
                source=RecordSource(path=None, sha256=None, line=self._place.line),
                origin=DirectOrigin(),
            )
        except ValidationError as error:
            refuse_record(name, error, self._place)
        self._pass_name = record.pass_name

    def _read_op_types(self, node: ast.expr) -> tuple[str, ...] | None:
        value = read_literal(node)
        if value is not UNKNOWN:
            return read_op_types(value, self._place)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            items = [read_literal(item) for item in node.elts]
            known = [_SOME_OP_TYPE if item is UNKNOWN else item for item in items]
            read_op_types(known, self._place)
        return None

    def _value(self, keyword: str) -> object:
        node = self._decoration.keywords.get(keyword)
        return UNKNOWN if node is None else self._names.read_value(node)

    def _fail(self, fault: str | None) -> None:
        if fault is not None:
            message = f"{encode_path(self._path)}:{self._decoration.line}: {fault}"
            self._add(Code.MODULE_FAILED, message)

    def _add(self, code: Code, message: str) -> None:
        line = self._decoration.line
        self.problems.append(
            Problem(code=code, message=message, path=self._path, line=line)
        )

    @contextmanager
    def _collecting(self) -> Iterator[None]:
        try:
            yield
        except RegistrationError as error:
            self._add(error.code, error.message)


def _find_call_fault(decoration: Decoration) -> str | None:
    """Tell what Python says to a call of this form, by making one without the values."""
    keywords: dict[str, object] = dict.fromkeys(decoration.keywords)
    if decoration.is_open:
        keywords |= dict.fromkeys(inspect.signature(decoration.function).parameters)
    if "op_types" in keywords:
        keywords["op_types"] = [_SOME_OP_TYPE]
    try:
        decoration.function(*[None] * decoration.positional, **keywords)
    except TypeError as error:
        return f"TypeError: {error}"
    return None


def _find_member_fault(node: ast.expr, names: Names) -> str | None:
    """Tell that an enum of gepass has no such member."""
    if not isinstance(node, ast.Attribute):
        return None
    for enum in (PassStage, PassKind):
        if names.resolve(node.value) is enum and not hasattr(enum, node.attr):
            members = ", ".join(enum.__members__)
            return (
                f"AttributeError: {enum.__name__} has no member {node.attr}; "
                f"use one of: {members}"
            )
    return None
