"""
The three base classes of a pass (facts 1.3, 1.4, 1.9).

An author derives from one of them, implements what its kind calls, and registers the
class with a decorator. GE makes an instance without arguments for each stage run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, Generic, SupportsIndex

from typing_extensions import Never, TypeVar

from gepass.graph import Graph
from gepass.passes.hooks import check_decompose_body, check_pattern_body
from gepass.passes.pickling import reduce_pass

if TYPE_CHECKING:
    from gepass.passes.context import PassContext

__all__ = ["AnyPass", "DecomposePass", "FusionBasePass", "PatternFusionPass"]

GraphT_contra = TypeVar("GraphT_contra", contravariant=True, default=Graph)


class FusionBasePass(Generic[GraphT_contra]):
    """
    A pass that changes the graph itself: override ``run``.

    The parameter is the host's graph type, gepass's own ``Graph`` when left out::

        class Rename(FusionBasePass[HostGraph]):
            def run(self, graph: HostGraph, context: PassContext) -> bool: ...
    """

    def run(self, graph: GraphT_contra, context: PassContext) -> bool | int | None:
        """
        Change ``graph`` in place.

        Returns:
            ``None``, ``True`` or 0 for success, 1343242304 for "not changed", ``False``
            or another status code for failure, which ends the compile (facts 6.8).

        """
        msg = f"{type(self).__qualname__} does not implement run()"
        raise NotImplementedError(msg)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[object, ...]:
        """Pickle by pass file and class, so that another process can name both."""
        return reduce_pass(self, super().__reduce_ex__(protocol))


AnyPass = FusionBasePass[Never]
"""Any pass, whatever graph type it works on."""


def _no_patterns(self: AnyPass) -> Iterable[object]:
    msg = f"{type(self).__qualname__} has no patterns"
    raise NotImplementedError(msg)


def _accept(self: AnyPass, candidate: object, context: object = None) -> bool:  # noqa: ARG001
    return True


def _no_replacement(
    self: AnyPass,
    candidate: object,
    context: object = None,
) -> object:
    msg = f"{type(self).__qualname__} has no replacement"
    raise NotImplementedError(msg)


class PatternFusionPass(FusionBasePass[GraphT_contra]):
    """
    A pass that replaces what matches a pattern.

    Implement ``patterns`` or ``@pattern`` methods, and ``replacement``;
    ``meet_requirements`` accepts every match unless overridden. Each hook may be written
    in every form of facts 1.7 and 1.8, which is why they are typed so openly.
    """

    patterns: Callable[..., Iterable[object]] = _no_patterns
    meet_requirements: Callable[..., bool] = _accept
    replacement: Callable[..., object] = _no_replacement

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Check the body of the subclass (facts 1.4)."""
        super().__init_subclass__(**kwargs)
        check_pattern_body(cls)


class DecomposePass(FusionBasePass[GraphT_contra]):
    """
    A pass that replaces one node of certain op types by a graph.

    Implement ``replacement``; ``meet_requirements`` accepts every node unless
    overridden. The op types are those of ``register_decompose_pass``.
    """

    op_types: ClassVar[list[str] | None] = None
    """Set by ``register_decompose_pass``."""

    meet_requirements: Callable[..., bool] = _accept
    replacement: Callable[..., object] = _no_replacement

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Check the body of the subclass (facts 1.9)."""
        super().__init_subclass__(**kwargs)
        check_decompose_body(cls)
