"""What results share: numbers with the evidence behind them, and how they show and draw themselves.

Pictures need the extra "plot". Figures of reports are drawn from safe numbers: `report.figures`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import wraps
from html import escape
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from sdcmetrics.errors import StudyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_MOST_ROWS = 12
"""Rows of a table that a notebook shows; the result itself has them all."""


class Readable:
    """A result that shows its key figures: in one line, and in a notebook as a small table.

    Parameters
    ----------
    shows : sequence of str
        The attributes that are its key figures, in order.
    table : str
        The attribute that holds its main table, for a notebook.

    Notes
    -----
    A dataclass derived from it keeps this line: what `dataclass` would write prints every field,
    and so records.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Outcome(Readable, shows=("name", "share", "fixes")):
    ...     name: str
    ...     share: float
    ...     fixes: tuple[str, ...] = ()
    >>> Outcome("a < b", 1 / 3)
    Outcome(name='a < b', share=0.3333, fixes=0)
    >>> Outcome("a < b", 1 / 3)._repr_html_()[:60]
    '<table><caption>Outcome</caption><tr><th>name</th><td>a &lt;'
    """

    _shows: ClassVar[tuple[str, ...]] = ()
    _table: ClassVar[str] = ""

    def __init_subclass__(cls, *, shows: tuple[str, ...] = (), table: str = "") -> None:
        super().__init_subclass__()
        cls._shows, cls._table = shows or cls._shows, table or cls._table
        if "__repr__" not in vars(cls):  # `dataclass` writes none over one of the class itself
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return the key figures in one line."""
        figures = ", ".join(f"{name}={_short(getattr(self, name))}" for name in self._shows)
        return f"{type(self).__name__}({figures})"

    def _repr_html_(self) -> str:
        """Return the key figures, and the first rows of the main table, for a notebook."""
        values = {name: getattr(self, name) for name in self._shows}
        texts = {k: v if isinstance(v, str) else _short(v) for k, v in values.items()}
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in texts.items()
        )
        shown = f"<table><caption>{escape(type(self).__name__)}</caption>{rows}</table>"
        if not self._table:
            return shown
        frame = getattr(self, self._table)
        return shown + str(frame.to_html(max_rows=_MOST_ROWS, float_format="{:.4g}".format))


def _short(value: Any) -> str:
    """Return a text as it is, a number in four digits, and of anything longer its length."""
    if isinstance(value, str) or value is None:
        return repr(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(len(value)) if isinstance(value, Sized) else str(value)


class Renamed:
    """An attribute under the name that it had before: it works, and warns with the name of now.

    Examples
    --------
    >>> class Outcome:
    ...     rules = 3
    ...     found = Renamed("rules")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     Outcome().found, str(caught[0].message)
    (3, 'Outcome.found is called rules now.')
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __set_name__(self, owner: type, old: str) -> None:
        """Take the old name from where it stands."""
        self.old = old

    def __get__(self, result: Any, owner: type) -> Any:
        """Return the attribute, and warn."""
        if result is None:
            return self
        msg = f"{owner.__name__}.{self.old} is called {self.name} now."
        warnings.warn(msg, DeprecationWarning, stacklevel=2)
        return getattr(result, self.name)


def renamed_option(old: str, name: str) -> Callable[[type[T]], type[T]]:
    """Let a class be made with an option's name of before too: it works, and warns.

    Examples
    --------
    >>> @renamed_option("beside", "baseline")
    ... @dataclass
    ... class Outcome:
    ...     baseline: str = ""
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     Outcome(beside="k_original"), str(caught[0].message)
    (Outcome(baseline='k_original'), 'Outcome(beside=...) is called baseline now.')
    """

    def decorate(cls: type[T]) -> type[T]:
        initialise: Callable[..., None] = cls.__init__

        @wraps(initialise)
        def accept(self: T, *values: Any, **options: Any) -> None:
            if old in options:
                msg = f"{cls.__name__}({old}=...) is called {name} now."
                warnings.warn(msg, DeprecationWarning, stacklevel=2)
                options[name] = options.pop(old)
            initialise(self, *values, **options)

        setattr(cls, "__init__", accept)  # noqa: B010  (a type has no such slot)
        return cls

    return decorate


@dataclass(frozen=True, slots=True)
class Share:
    """A share of records: how many of how many.

    Examples
    --------
    >>> share = Share(count=3, total=12)
    >>> share.percent
    25.0
    >>> Share(count=0, total=0).proportion
    nan
    """

    count: int
    total: int

    @property
    def proportion(self) -> float:
        """Count over total, 0 to 1; NaN where there is nothing to count."""
        return self.count / self.total if self.total else math.nan

    @property
    def percent(self) -> float:
        """Count over total in percent, computed as 100 * count / total."""
        return 100.0 * self.count / self.total if self.total else math.nan


@dataclass(frozen=True, slots=True)
class Counted:
    """A number with the records that it rests on: so many of so many."""

    value: float
    count: float
    total: float


ORIGINAL, SYNTHETIC = "#8c8c8c", "#1f5f99"
"""Colours of the original and of a replica: told apart in print, and by readers of any sight."""


def new_axes(ax: Axes | None) -> Axes:
    """Return the axes to draw on, new ones where none are given.

    Raises
    ------
    StudyError
        If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        msg = (
            "a plot needs matplotlib, which is not installed. Install it with: "
            'pip install "sdcmetrics[plot]".'
        )
        raise StudyError(msg) from error
    _, new = plt.subplots(layout="constrained")
    return new


def label_axes(ax: Axes, *, x: str, y: str, title: str) -> Axes:
    """Name both axes and the figure, and return the axes."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.set_title(title)
    return ax


def draw_bars(ax: Axes, names: Sequence[str], sets: Mapping[str, Sequence[float]]) -> None:
    """Draw horizontal bars, the first name on top; of two data sets in pairs."""
    width = 0.8 / len(sets)
    colours = (ORIGINAL, SYNTHETIC) if len(sets) > 1 else (SYNTHETIC,)
    for i, ((name, values), colour) in enumerate(zip(sets.items(), colours, strict=True)):
        offset = (i - (len(sets) - 1) / 2) * width
        ax.barh([j + offset for j in range(len(names))], values, width, label=name, color=colour)
    ax.set_yticks(range(len(names)), list(names))
    ax.invert_yaxis()
    if len(sets) > 1:
        ax.legend()


def draw_points(ax: Axes, x: Sequence[float], y: Sequence[float], names: Sequence[str]) -> None:
    """Draw named points."""
    ax.scatter(x, y, color=SYNTHETIC)
    for name, left, up in zip(names, x, y, strict=True):
        ax.annotate(name, (left, up), xytext=(5, 5), textcoords="offset points")


def draw_pairs(ax: Axes, values: Any, names: Sequence[str], *, of: str) -> None:
    """Draw a square table of pairs by colour, with a bar that names what is drawn."""
    image = ax.imshow(values, cmap="cividis_r", vmin=0)
    ax.set_xticks(range(len(names)), list(names), rotation=90)
    ax.set_yticks(range(len(names)), list(names))
    ax.figure.colorbar(image, ax=ax, label=of)


def formerly(*orders: str) -> Callable[[F], F]:
    """Let a function be called by position in an order of before too: it works, and warns.

    Parameters
    ----------
    orders : str
        Names of arguments in an earlier order, such as "original synthetic formula". The last one
        is taken unless the first argument is a text, for which the first order is.

    Examples
    --------
    >>> @formerly("original synthetic formula")
    ... def fit(original: int, synthetic: int, *, formula: str) -> str:
    ...     return formula
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     fit(1, 2, "y ~ x"), str(caught[0].message)
    ('y ~ x', 'fit: write formula=... now, and original, synthetic in this order.')
    """

    def decorate(function: F) -> F:
        each = signature(function).parameters.values()
        named = [parameter.name for parameter in each if parameter.kind is parameter.KEYWORD_ONLY]
        ordered = ", ".join(p.name for p in each if p.kind is p.POSITIONAL_OR_KEYWORD)

        @wraps(function)
        def accept(*values: Any, **options: Any) -> Any:
            names = (orders[0] if values and isinstance(values[0], str) else orders[-1]).split()
            given = dict(zip(names, values, strict=False))
            moved = [name for name in given if name in named]
            if moved and len(given) == len(values) and not given.keys() & options.keys():
                msg = f"{function.__name__}: write {moved[0]}=... now, and {ordered} in this order."
                warnings.warn(msg, DeprecationWarning, stacklevel=2)
                return function(**given, **options)
            return function(*values, **options)

        return cast("F", accept)

    return decorate


def renamed_arguments(**names: str) -> Callable[[F], F]:
    """Let a function be called with arguments' names of before too: it works, and warns.

    Parameters
    ----------
    names : str
        The name that is used now of each name of before.

    Examples
    --------
    >>> @renamed_arguments(marks="reference_values")
    ... def conduct(*, reference_values: bool = True) -> bool:
    ...     return reference_values
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     conduct(marks=False), str(caught[0].message)
    (False, 'conduct(marks=...) is called reference_values now.')
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def accept(*values: Any, **options: Any) -> Any:
            for old in options.keys() & names.keys():
                msg = f"{function.__name__}({old}=...) is called {names[old]} now."
                warnings.warn(msg, DeprecationWarning, stacklevel=2)
                options[names[old]] = options.pop(old)
            return function(*values, **options)

        return cast("F", accept)

    return decorate
