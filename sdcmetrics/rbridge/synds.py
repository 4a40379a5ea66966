"""Any replica as the object that synthpop's functions take: class synds."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses, pair
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.frames import Fix, as_microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import Harmonised, MissingCodes
from sdcmetrics.rbridge import defects
from sdcmetrics.rbridge.columns import from_harmonised, from_microdata
from sdcmetrics.rbridge.in_process import read_here
from sdcmetrics.rbridge.session import Session, default_session, new_id
from sdcmetrics.rbridge.wire import RFrame
from sdcmetrics.study.written import note, refuse_stranger

Form = Literal["direct", "clone", "frames"]


@dataclass(frozen=True, eq=False)
class Synds:
    """An original and m syntheses, as R will see them. They are sent when first used.

    Attributes
    ----------
    original, syntheses : RFrame
        Columns as R gets them.
    how : "direct", "clone" or "frames"
    codes : dict of column to codes
    not_synthesised : tuple of column names
    fixes : tuple of str
        What was changed to make the data sets comparable.
    defects : tuple of str
        synthpop's known defects that these data can trigger, whatever the function.
    session : Session
    """

    original: RFrame
    syntheses: tuple[RFrame, ...]
    how: Form = "direct"
    codes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    not_synthesised: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()
    session: Session = field(default_factory=default_session)
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        weakref.finalize(self, self.session.forget, self.id)

    @property
    def m(self) -> int:
        """Number of syntheses."""
        return len(self.syntheses)

    @property
    def columns(self) -> list[str]:
        """Names of the variables."""
        return list(self.original.columns)

    def send(self) -> str:
        """Send the data to R, unless it has them; return what R calls them."""
        methods = ["" if name in self.not_synthesised else "cart" for name in self.columns]
        settings = {
            "how": self.how,
            "method": dict(zip(self.columns, methods, strict=True)),
            "codes": {name: _codes(self.codes.get(name, ())) for name in self.columns},
        }
        self.session.keep(
            self.id,
            {
                "original": self.original,
                "syntheses": list(self.syntheses),
                "settings": settings,
            },
        )
        return self.id

    def write_rds(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the replica as R's object of class synds: ``readRDS(path)`` in R.

        Parameters
        ----------
        path : str or path
        force : bool
            Overwrite a file that this package did not write, or that was changed since.

        Returns
        -------
        Path
            See `sdcmetrics.read_synds` for the way back, which needs no R.

        Raises
        ------
        StudyError
            If the handle was made with ``how="frames"``: R gets no object then.
        RError
            If R is not there or cannot write the file.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"x": [1, 2]})
        >>> as_synds(frame, frame, how="frames").write_rds("one.rds")
        Traceback (most recent call last):
        ...
        sdcmetrics.errors.StudyError: how="frames" makes no object of class synds...
        """
        if self.how == "frames":
            msg = 'how="frames" makes no object of class synds. Take how="direct", the default.'
            raise StudyError(msg)
        return self._save(path, "object", force=force)

    def write_original_rds(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the original as the data frame that goes with the object: confidential.

        Raises
        ------
        RError
            If R is not there or cannot write the file.
        """
        return self._save(path, "data", force=force)

    def _save(self, path: str | os.PathLike[str], element: str, *, force: bool) -> Path:
        out = Path(path).resolve()
        refuse_stranger(out, force=force, remedy="pass force=True")
        self.session.call("adapt_write_rds", id=self.send(), path=str(out), part=element)
        if out.is_file():
            note(out.read_bytes())
        return out

    def to_rpy2(self) -> Any:
        """Return the object in the R of this very process, as a `rpy2.robjects` list.

        It can be given to any R function that the session has loaded. Only this method starts R
        in this process; everything else of the bridge stays apart from it.

        Raises
        ------
        StudyError
            If the handle was made with ``how="frames"``.
        RError
            If R or rpy2 is not there.
        """
        with tempfile.TemporaryDirectory() as folder:
            return read_here(self.write_rds(Path(folder) / "synds.rds"))


def _codes(codes: Sequence[float]) -> Any:
    return None if not codes else [float(code) for code in codes]


Pair = Synds | tuple[Frame, Replica]
"""A handle, or an original and its replica: a frame, or a list of frames."""


@checked
def as_synds(
    replicas: Replica,
    original: Frame,
    *,
    how: Form = "direct",
    missing_codes: MissingCodes | None = None,
    not_synthesised: Sequence[str] | None = None,
    variables: Sequence[str] | None = None,
    harmonise: bool = True,
    session: Session | None = None,
) -> Synds:
    """Wrap any replica as synthpop's object of class synds, whoever made it.

    Parameters
    ----------
    replicas : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    original : data frame
    how : "direct" or "clone"
        "direct" builds the object with the fields that synthpop's functions read; "clone" lets
        synthpop synthesise the original and then replaces the data. Both give the same results.
        "frames" passes plain data frames instead of an object.
    missing_codes : mapping of column to code or codes, optional
        Codes such as -8 that mean a kind of missing (synthpop's cont.na).
    not_synthesised : names, optional
        Columns that are the original's own, which makes the synthesis incomplete.
    variables : names, optional
        By default every column that all data sets have.
    harmonise : bool
        True makes the data sets comparable first, as the native functions do: one set of levels
        in one order, one kind a column, the same columns. False passes them as they are, which
        shows what synthpop makes of them.
    session : Session, optional
        R; by default one that all calls share.

    Returns
    -------
    Synds
        Nothing is sent to R yet.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": ["a", "b"], "n": [1, 2]})
    >>> replica = pd.DataFrame({"n": [2.0], "x": ["c"], "z": [0]})
    >>> synds = as_synds(replica, original)
    >>> synds.original.columns["x"].levels
    ('a', 'b', 'c')
    >>> print(synds.fixes[0])
    synthetic, column 'z': not in original, so it is left out
    """
    chosen = default_session() if session is None else session
    if how not in ("direct", "clone", "frames"):
        msg = f'how: expected "direct", "clone" or "frames" but got {how!r}.'
        raise StudyError(msg)
    aside = tuple(not_synthesised or ())
    if not harmonise:
        prepared = _as_they_are(replicas, original, missing_codes, variables)
    else:
        prepared = from_pair(
            pair(original, replicas, variables=variables, missing_codes=missing_codes)
        )
    for name in aside:
        if name not in prepared.columns:
            check_names([name], as_microdata(original, "original"), "not_synthesised")
    return replace(prepared, how=how, not_synthesised=aside, session=chosen, id=new_id())


def from_pair(data: Harmonised) -> Synds:
    """Wrap data sets that were made comparable."""
    original, *syntheses = from_harmonised(data)
    return Synds(
        original,
        tuple(syntheses),
        codes={v.name: v.missing_codes for v in data.variables.values() if v.missing_codes},
        fixes=tuple(str(fix) for fix in data.fixes),
        defects=defects.of_data(data),
    )


def _as_they_are(
    replicas: Replica,
    original: Frame,
    missing_codes: MissingCodes | None,
    variables: Sequence[str] | None,
) -> Synds:
    fixes: list[Fix] = []
    names = None if variables is None else list(variables)
    frames = [
        from_microdata(data, fixes)
        for data in (
            as_microdata(original, "original", names),
            *list_syntheses(replicas, names),
        )
    ]
    codes = {
        name: (float(given),) if isinstance(given, int | float) else tuple(map(float, given))
        for name, given in (missing_codes or {}).items()
    }
    return Synds(frames[0], tuple(frames[1:]), codes=codes, fixes=tuple(str(fix) for fix in fixes))


def handle(
    data: Any, *, missing_codes: MissingCodes | None = None, session: Session | None = None
) -> Synds:
    """Return the handle that was given, or make one of an original and its replica."""
    if isinstance(data, Synds):
        return data
    if not isinstance(data, tuple) or len(data) != 2:  # noqa: PLR2004  (original and replica)
        msg = (
            "expected a Synds, made by as_synds(replicas, original), or the tuple "
            f"(original, replicas), but got {type(data).__name__}."
        )
        raise StudyError(msg)
    original, replicas = data
    return as_synds(replicas, original, missing_codes=missing_codes, session=session)
