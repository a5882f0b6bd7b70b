"""One system by several methods and precisions."""

from __future__ import annotations

from typing import Any, Iterable

from ._complex_input import to_any_numbers
from ._errors import InputError, UnsupportedError
from ._files import Matrix
from ._plot import draw_histories
from ._result import Result
from ._solve import solve

_COLUMNS = ("method", "preconditioner", "format", "precision", "status", "iterations", "true_residual",
            "forward_error", "digits", "seconds")


class Comparison(list[dict[str, Any]]):
    """Rows of a comparison, one for each solve; ``pandas.DataFrame(rows)`` makes a table of them.

    Attributes
    ----------
    results : list of Result or None
        What each row was made of; None for a request that no method serves, whose row has the reason as its status.
    """

    results: list[Result | None]

    def __init__(self, rows: Iterable[dict[str, Any]], results: list[Result | None]) -> None:
        super().__init__(rows)
        self.results = results

    def _texts(self) -> list[list[str]]:
        def text(value: Any) -> str:
            return "-" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)

        return [list(_COLUMNS), *([text(row[name]) for name in _COLUMNS] for row in self)]

    def __repr__(self) -> str:
        lines = self._texts()
        widths = [max(len(line[k]) for line in lines) for k in range(len(_COLUMNS))]
        return "\n".join("  ".join(each.ljust(w) for each, w in zip(line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        import html

        head, *body = self._texts()
        cells = "".join(f"<th>{html.escape(each)}</th>" for each in head)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(each)}</td>" for each in line) + "</tr>" for line in body)
        return f"<table><tr>{cells}</tr>{rows}</table>"

    def plot(self, ax: Any = None) -> Any:
        """The residuals of each solve against the iteration: a matplotlib figure.

        Parameters
        ----------
        ax
            Axes to draw on. None: those of a new figure.
        """
        return draw_histories(((f"{row['method']}, {row['precision']} bits", result.history)
                               for row, result in zip(self, self.results) if result is not None), ax)


def _listed(name: str, values: Any) -> list[Any]:
    made = [values] if isinstance(values, (str, int)) or values is None else list(values)
    if not made:
        raise InputError(f"{name}: there is nothing to compare")
    return made


def compare(A: Any, b: Any, precisions: Any = ("double", "dd", "td", "qd"), methods: Any = ("auto",),
            **options: Any) -> Comparison:
    """Solves one system by every method in every precision.

    Parameters
    ----------
    A, b
        As `residua.solve` takes them; one right-hand side.
    precisions
        Bits or names, one or several; None among them for a precision that is chosen.
    methods
        Names, one or several.
    **options
        As in `residua.solve`, for all of them.

    Returns
    -------
    Comparison
        A list of dicts with the keys ``method``, ``preconditioner``, ``format``, ``precision``, ``status``,
        ``iterations``, ``true_residual``, ``forward_error``, ``digits``, ``seconds``.

    Examples
    --------
    >>> import residua
    >>> rows = residua.compare([[4, 1], [1, 3]], [1, 2], precisions=["double", "dd"], methods="cg")
    >>> [(row["precision"], row["status"]) for row in rows]
    [(53, 'converged'), (106, 'converged')]
    """
    matrix = Matrix(A, options.pop("input_bits", None))
    right = to_any_numbers(b, "b")
    rows: list[dict[str, Any]] = []
    results: list[Result | None] = []
    for method in _listed("methods", methods):
        for precision in _listed("precisions", precisions):
            try:
                result = solve(matrix, right, method=method, precision=precision, **options)
            except UnsupportedError as e:
                rows.append({**dict.fromkeys(_COLUMNS), "method": method, "precision": precision, "status": str(e)})
                results.append(None)
                continue
            r = result.report
            error = r.forward_error["bound"]
            rows.append({
                "method": r.method, "preconditioner": r.preconditioner, "format": r.format,
                "precision": r.precision_bits, "status": r.status, "iterations": r.iterations,
                "true_residual": float(r.relative_residual), "forward_error": None if error is None else float(error),
                "digits": result.digits, "seconds": r.seconds["setup"] + r.seconds["solve"],
            })
            results.append(result)
    return Comparison(rows, results)
