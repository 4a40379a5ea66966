"""One way to ask a function of synthpop: options by their native names, answers as pandas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sdcmetrics.errors import RError, StudyError, did_you_mean
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.rbridge import defects
from sdcmetrics.rbridge.session import Answer, Session
from sdcmetrics.rbridge.synds import Pair, Synds, handle

_TABLES = {"ngroups": "ngroups", "style": "style", "use_missing": "useNA", "k_syn": "k.syn"}
_KEYS = {
    "ngroups_keys": "ngroups_keys",
    "use_key_missing": "usekeysNA",
    "denom_lim": "denom_lim",
    "one_way_thresholds": "thresh_1way",
    "two_way_thresholds": "thresh_2way",
}
_FITS = {"population_inference": "population.inference", "level": "ci.level"}

OPTIONS: dict[str, dict[str, str]] = {
    "utility.tab": _TABLES,
    "utility.tables": _TABLES,
    "utility.gen": {
        "method": "method",
        "variables": "vars",
        "maxorder": "maxorder",
        "k_syn": "k.syn",
        "ngroups": "ngroups",
        "resampling": "resamp.method",
        "nperms": "nperms",
        "max_parameters": "max.params",
        "maxit": "maxit",
        "statistics": "print.stats",
    },
    "compare": {"variables": "vars", "stat": "stat", "ngroups": "ngroups"},
    "disclosure": {
        **_KEYS,
        "ngroups_target": "ngroups_target",
        "use_target_missing": "usetargetNA",
        "not_target_levels": "not.targetlev",
        "exclusions": "exclude",
    },
    "multi.disclosure": {
        **_KEYS,
        "ngroups_targets": "ngroups_targets",
        "use_target_missing": "usetargetsNA",
    },
    "replicated.uniques": {},
    "lm.synds": _FITS,
    "glm.synds": _FITS,
    "polr.synds": _FITS,
    "multinom.synds": _FITS,
}
"""How each function of synthpop calls an option of the native function. What is not given is
left to synthpop, whose defaults are the native ones."""

_TRIPLE = ("exclude.keys", "exclude.keylevs", "exclude.targetlevs")


@dataclass(frozen=True, kw_only=True)
class FromR:
    """What comes with every answer of R's.

    Attributes
    ----------
    fixes : tuple of str
        What was changed to make the data sets comparable.
    output, warnings : what R printed, and its warnings
    defects : tuple of str
        synthpop's known defects that may apply.
    """

    fixes: tuple[str, ...] = ()
    output: str = ""
    warnings: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


class Question:
    """A function of synthpop that is about to be asked.

    Parameters
    ----------
    function : synthpop's name of it
    data : Synds, or tuple of an original and its replica
    options : mapping
        Those of `OPTIONS`; ``printed=True`` keeps what R prints of the result; for a tuple
        ``missing_codes`` and ``session``, which a handle has.

    Raises
    ------
    StudyError
        If there is no such option.
    """

    def __init__(self, function: str, data: Pair, options: Mapping[str, Any]) -> None:
        given = dict(options)
        of_pair = {name: given.pop(name, None) for name in ("missing_codes", "session")}
        self.function = function
        self.synds = handle(data, **of_pair)
        self.printed = bool(given.pop("printed", False))
        self.fixed: dict[str, Any] = {"max.table": 1e9} if function == "utility.tab" else {}
        for name in given:
            if name not in OPTIONS[function]:
                hint = did_you_mean(name, [*OPTIONS[function], *of_pair, "printed"])
                msg = f"{function} has no option {name!r}.{hint}"
                raise StudyError(msg)
        self.options = {name: value for name, value in given.items() if value is not None}
        if "variables" in self.options:
            self.options["variables"] = names_of(self.options["variables"], self.synds)

    def ask(self, adapter: str = "", /, **arguments: Any) -> Answer:
        """Ask; `adapter` names the function of adapters.R where it is not called the same."""
        names = OPTIONS[self.function]
        options = {names[name]: _plain(name, value) for name, value in self.options.items()}
        options |= self.fixed
        if options.get("style") == "quantile":
            del options["style"]  # the default; passed on, it would hinder synthpop's fall-back
        if "exclude" in options:
            for part, values in zip(
                _TRIPLE, zip(*options.pop("exclude"), strict=True), strict=True
            ):
                options[part] = [str(value) for value in values]
        if "denom_lim" in options:
            options["exclude_ov_denom_lim"] = True
        arguments |= {"options": options} if names else {}
        arguments |= {"print": True} if self.printed else {}
        name = adapter or self.function.replace(".", "_")
        return call(self.synds, name, self.function, **arguments)

    def fields(self, answer: Answer, *defects: str) -> dict[str, Any]:
        """Return the fields of `FromR`; `defects` are the defects that the answer shows."""
        return {
            "fixes": self.synds.fixes,
            "output": answer.output,
            "warnings": answer.warnings,
            "defects": tuple(dict.fromkeys((*self.synds.defects, *defects))),
        }

    def annotate(self, result: Any, answer: Answer, *defects: str) -> Any:
        """Note the same in the ``attrs`` of a pandas object."""
        result.attrs |= self.fields(answer, *defects)
        return result


def _plain(name: str, value: Any) -> Any:
    """Return an option as R takes it: names as texts, limits and thresholds as doubles."""
    if name in ("max_parameters", "one_way_thresholds", "two_way_thresholds"):
        return [float(v) for v in value] if isinstance(value, Sequence) else float(value)
    if name == "not_target_levels":
        return [str(v) for v in ([value] if isinstance(value, str) else value)]
    return list(value) if isinstance(value, tuple) else value


def call(synds: Synds, name: str, function: str, **arguments: Any) -> Answer:
    """Ask `adapters.R` for a function of synthpop, called `function` in messages.

    Raises
    ------
    RError
        With the text of R's error, and the defect behind it where that is known.
    """
    return run(synds.session, name, function, synds, **arguments)


def run(
    session: Session, name: str, function: str, synds: Synds | None = None, /, **arguments: Any
) -> Answer:
    """Ask for a function that may take no handle."""
    try:
        about = {} if synds is None else {"id": synds.send()}
        return session.call(f"adapt_{name}", **about, **arguments)
    except RError as error:
        raise with_defects(error, function, synds) from None


def with_defects(error: RError, function: str, synds: Synds | None = None) -> RError:
    """Return the error with the function's name and the number of the defect behind it."""
    if error.kind != "error":
        return error
    numbers = defects.explain_error(error.reason)
    if not numbers and synds is not None and "synorig.compare()" in error.reason:
        # Tables of unlike shape: the data tell what of it is the cause.
        numbers = tuple(n for n in synds.defects if n in ("A9", "B1"))[:1]
    hint = "".join(f" [{number}: {defects.DEFECTS[number]}]" for number in numbers)
    reason = f"synthpop's {function} stopped: {error.reason}{hint}"
    return RError(
        reason, kind="error", defects=numbers, output=error.output, warnings=error.warnings
    )


def in_order(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return names in the order of the columns, as synthpop takes them."""
    return [name for name in columns if name in names]


def names_of(names: str | Sequence[str], synds: Synds) -> list[str]:
    """Return names of variables, all of which the handle has.

    Raises
    ------
    StudyError, ColumnError
        If there is none, or one is unknown or given twice.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted:
        msg = "variables: expected at least one column name but got none."
        raise StudyError(msg)
    header = pa.table({name: pa.array([], pa.null()) for name in synds.columns})
    check_names(wanted, Microdata(header, "the data"), "variable")
    return wanted
