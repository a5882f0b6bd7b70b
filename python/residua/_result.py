"""What a solve gives."""

from __future__ import annotations

import html
import json
from typing import Any, Iterator, Mapping

import numpy as np

from . import _core
from ._complex_numbers import ComplexNumbers
from ._number import Number
from ._numbers import Numbers
from ._plot import draw_histories

_SENTENCES = {
    "converged": "Converged: the true residual passes the stopping test.",
    "not_converged": "Not converged: the iteration limit was reached.",
    "stagnated": "Stagnated: the residual does not become smaller.",
    "breakdown": "Breakdown: the method cannot go on.",
    "interrupted": "Interrupted.",
    "time_limit": "Stopped at the time limit.",
}
_ORDER = ("converged", "not_converged", "time_limit", "stagnated", "breakdown", "interrupted")  # best to worst
_FIGURES = frozenset(
    "rtol atol rhs_norm recursive_residual relative_residual normal_residual backward_error "
    "componentwise_backward_error condition_estimate bound smallest largest condition part_outside".split()
)


def _figures(value: Any, key: str = "") -> Any:
    """Decimals of figures as numbers, which have a range that floats do not."""
    if isinstance(value, dict):
        return {name: _figures(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_figures(each) for each in value]
    if isinstance(value, str) and key in _FIGURES and value not in ("nan", "inf", "-inf"):
        return Number(value, bits=64)
    return value


class Step:
    """One step of a solve, as callbacks get it and histories keep it.

    Attributes
    ----------
    column : int
        Which of several right-hand sides.
    iteration : int
        From 0.
    residual : Number
        norm(r) / norm(b) as the method's recursion has it.
    true_residual : Number or None
        norm(b - A x) / norm(b), computed anew, where it was.
    seconds : float
        Since the solve began.
    precision : int
        Bits of the method's arithmetic.
    """

    __slots__ = ("column", "iteration", "residual", "true_residual", "seconds", "precision")

    def __init__(self, entry: tuple[Any, ...]) -> None:
        column, iteration, residual, true_residual, seconds, precision = entry
        self.column: int = column
        self.iteration: int = iteration
        self.residual: Number = Number._of(residual)
        self.true_residual: Number | None = None if true_residual is None else Number._of(true_residual)
        self.seconds: float = seconds
        self.precision: int = precision

    def __repr__(self) -> str:
        true = "" if self.true_residual is None else f", true_residual={self.true_residual:.3g}"
        return f"Step(iteration={self.iteration}, residual={self.residual:.3g}{true}, precision={self.precision})"


class Report(Mapping[str, Any]):
    """What a solve says of one right-hand side: a mapping whose values are attributes too.

    The keys are those of the JSON report of the command line (docs/command-line.md): ``status``, ``method``,
    ``precision_bits``, ``iterations``, ``relative_residual``, ``forward_error``, ``condition_estimate`` and others. Figures
    are `Number`, whose range does not end at 1e-308; what is not known is None.
    """

    def __init__(self, outcome: _core.Outcome) -> None:
        self._take(outcome.report, outcome.words, outcome.caveat)
        self._outcome: _core.Outcome | None = outcome  # until its history is asked for
        self._history: list[Step] = []

    def _take(self, text: str, message: str, caveat: str) -> None:
        self._text = text
        self._caveat = caveat
        self._values: dict[str, Any] = _figures(json.loads(text))
        self._values["message"] = message

    def __getstate__(self) -> Any:
        return (self._text, self._values["message"], self._caveat, self.history)

    def __setstate__(self, state: Any) -> None:
        self._take(*state[:3])
        self._outcome, self._history = None, state[3]

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"a report has no {name!r}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    @property
    def digits(self) -> int:
        """Correct decimal digits of x that the forward error backs; 0: none are known."""
        return int(self._values["forward_error"]["digits"])

    @property
    def history(self) -> list[Step]:
        """All steps."""
        if self._outcome is not None:
            self._history = [Step(entry) for entry in self._outcome.history]
            self._outcome = None
        return self._history

    @property
    def verdict(self) -> str:
        """Why the solve ended, what it is worth, and what may help, in words."""
        message = self._values["message"]
        words = _SENTENCES[self._values["status"]]
        if self._values["least_squares"]:
            words = "Converged: the least-squares residual passes the stopping test."
        if message:
            words += f" {_sentence(message)}."
        return f"{words} {self._caveat}".rstrip()

    def to_json(self) -> str:
        """The report as the command line writes it."""
        return self._text

    def _lines(self) -> list[tuple[str, str]]:
        v = self._values
        lines = [
            ("method", f"{v['method']}, preconditioner {v['preconditioner']}"),
            ("precision", f"{v['precision_bits']} bits, format {v['format']}"),
            ("iterations", f"{v['iterations']}"),
            ("true residual", _shown(v["relative_residual"], "of norm(b)")),
        ]
        error = v["forward_error"]
        if error["bound"] is None:
            lines.append(("forward error", "unknown"))
        else:
            lines.append(
                ("forward error", f"about {error['bound']:.3g}, {error['kind']}: {self.digits} correct digits")
            )
        lines.append(("condition", _shown(v["condition_estimate"], "(estimate)")))
        lines.append(("seconds", f"{v['seconds']['setup'] + v['seconds']['solve']:.3g}"))
        return lines

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *(f"  {name:<15}{text}" for name, text in self._lines())])

    def _repr_html_(self) -> str:
        color = "#1a7f37" if self._values["status"] == "converged" else "#b35900"
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self._lines()
        )
        return f"<p style='color:{color}'><b>{html.escape(self.verdict)}</b></p><table>{rows}</table>"


def _sentence(words: str) -> str:
    """With a capital letter, but for a name of one letter: x is not X."""
    return words[:1].upper() + words[1:] if words[1:2].isalpha() else words


def _shown(x: Any, words: str) -> str:
    return "unknown" if x is None else f"{x:.3g} {words}"


class Result:
    """The solution of a system, and what it is worth.

    ``x, info = result`` gives the two that solvers of scipy return.

    Attributes
    ----------
    x : Numbers or ComplexNumbers
        The solution, of shape (n,), or (n, k) for k right-hand sides; `ComplexNumbers` of a complex system.
    reports : list of Report
        One for each right-hand side.
    """

    def __init__(self, outcomes: list[_core.Outcome], several: bool, is_complex: bool = False) -> None:
        self.reports: list[Report] = [Report(each) for each in outcomes]
        kind = ComplexNumbers if is_complex else Numbers
        columns = [kind._solution(each.x, None if report["forward_error"]["bound"] is None else report.digits)
                   for each, report in zip(outcomes, self.reports)]
        self.x: Any = np.column_stack(columns) if several else columns[0]  # type: ignore[arg-type]

    @property
    def report(self) -> Report:
        """The report of the right-hand side that went worst."""
        return max(self.reports, key=lambda r: (_ORDER.index(r.status), -r.digits))

    @property
    def status(self) -> str:
        """``"converged"``, ``"not_converged"``, ``"stagnated"``, ``"breakdown"``, ``"interrupted"`` or ``"time_limit"``."""
        return self.report.status

    @property
    def converged(self) -> bool:
        """Whether the true residual passes the stopping test, of each right-hand side."""
        return self.status == "converged"

    @property
    def digits(self) -> int:
        """Correct decimal digits of x that the forward error backs, of each right-hand side; 0: none are known."""
        return min(r.digits for r in self.reports)

    @property
    def verdict(self) -> str:
        """Why the solve ended, what it is worth, and what may help, in words."""
        return self.report.verdict

    @property
    def history(self) -> list[Step]:
        """All steps, of one right-hand side after the other."""
        return [step for report in self.reports for step in report.history]

    @property
    def info(self) -> int:
        """As scipy has it: 0 if it converged, the number of iterations if their limit was reached, or else -1."""
        if self.converged:
            return 0
        return max(self.report.iterations, 1) if self.status == "not_converged" else -1

    def __iter__(self) -> Iterator[Any]:
        return iter((self.x, self.info))

    def plot(self, ax: Any = None) -> Any:
        """The residual against the iteration, of each right-hand side: a matplotlib figure.

        Parameters
        ----------
        ax
            Axes to draw on. None: those of a new figure.
        """
        columns = [f"column {j}, " for j in range(len(self.reports))] if len(self.reports) > 1 else [""]
        return draw_histories(((f"{column}{r.method}, {r.precision_bits} bits", r.history)
                               for column, r in zip(columns, self.reports)), ax)

    def __repr__(self) -> str:
        several = f" {len(self.reports)} right-hand sides, the worst of which:" if len(self.reports) > 1 else ""
        return f"<Result{several} {self.report!r}\n  {'x':<15}{self.x!r}>"

    def _repr_html_(self) -> str:
        several = f"<p>{len(self.reports)} right-hand sides; of the worst:</p>" if len(self.reports) > 1 else ""
        return f"{several}{self.report._repr_html_()}<p>x = <code>{html.escape(repr(self.x))}</code></p>"
