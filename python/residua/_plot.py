"""Pictures of histories."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterable, Sequence

if TYPE_CHECKING:
    from ._number import Number
    from ._result import Step


def _log10(x: Number) -> float:
    m, e = x.as_mantissa_exponent()
    shift = max(m.bit_length() - 60, 0)
    return math.log10(m >> shift) + (e + shift) * math.log10(2.0)


def _is_shown(x: Number | None) -> bool:
    return x is not None and x.is_finite() and x > 0


def draw_histories(curves: Iterable[tuple[str, Sequence[Step]]], ax: Any) -> Any:
    """The residuals of histories, true ones as dots: the figure of `ax`, or a new one of matplotlib's."""
    try:
        from matplotlib.figure import Figure
    except ImportError as e:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from e
    if ax is None:
        ax = Figure(figsize=(7, 4.5), layout="constrained").subplots()
    for label, steps in curves:
        # decimal logarithms: residuals leave the range of floats
        shown = [(k, _log10(s.residual)) for k, s in enumerate(steps) if _is_shown(s.residual)]
        (line,) = ax.plot([k for k, _ in shown], [y for _, y in shown], label=label)
        true = [(k, _log10(s.true_residual)) for k, s in enumerate(steps)
                if s.true_residual is not None and _is_shown(s.true_residual)]
        ax.scatter([k for k, _ in true], [y for _, y in true], s=16, color=line.get_color())
    ax.set_xlabel("step (dots: true residuals)")
    ax.set_ylabel("log10 of norm(r) / norm(b)")
    if ax.get_legend_handles_labels()[1]:
        ax.legend()
    return ax.figure
