"""Logit and tree propensity models with one interface: fit, relabel, explain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.propensity.cart import Tree, TreeRules, grow
from sdcmetrics.measures.propensity.logit import LogitFit, LogitModel
from sdcmetrics.measures.propensity.model_matrix import model_matrix, terms_of
from sdcmetrics.measures.propensity.predictors import Predictor, Scale, Stacked, distinct_records
from sdcmetrics.measures.propensity.statistics import ScoredRecords
from sdcmetrics.measures.propensity.tree_columns import code_columns
from sdcmetrics.microdata.arrays import Bools, Floats, Ints

_DIGITS = 10
_LARGEST_MODEL = 10_000
"""Columns: a matrix of their products has 0.8 GB, and a fit holds four."""
_LARGEST_MATRIX = 1.5e9
_TERMS_SHOWN = 50


@dataclass(frozen=True)
class Outcome:
    """Scores and statistics of a fitted model.

    Attributes
    ----------
    records : ScoredRecords
    parameters : int
        Coefficients, or leaves.
    converged : bool
    separated : int
        Records whose score goes to 0 or 1, without end.
    aliased : int
        Columns of the model that depend on earlier ones, empty ones included.
    notes : tuple of str
    """

    records: ScoredRecords
    parameters: int
    converged: bool
    separated: int
    aliased: int
    notes: tuple[str, ...]


class LogitPropensity:
    """A logistic model of stacked records."""

    def __init__(self, stacked: Stacked, maxorder: int, *, k_syn: bool = False) -> None:
        self.stacked, self.k_syn = stacked, k_syn
        self._kind, first = distinct_records(stacked)
        self._n = np.bincount(self._kind, minlength=len(first)).astype(np.int64)
        size = len(first) * len(terms_of(len(stacked.predictors), maxorder))
        if size > _LARGEST_MATRIX:
            msg = (
                f"the model matrix has up to {size:.1e} entries, too many for memory; lower "
                "maxorder or use fewer variables"
            )
            raise NotComputable(msg)
        self._matrix = model_matrix(stacked.predictors, first, self._n, maxorder)
        if self._matrix.columns.shape[1] > _LARGEST_MODEL:
            msg = (
                f"the model has {self._matrix.columns.shape[1]} columns, more than "
                f"{_LARGEST_MODEL}; lower maxorder, use fewer variables or group their levels"
            )
            raise NotComputable(msg)
        self._model = LogitModel(self._matrix, self._n)

    @cached_property
    def _synthetic(self) -> Ints:
        return self._count(self.stacked.synthetic)

    @cached_property
    def _fit(self) -> LogitFit:
        return self._model.fit(self._synthetic)

    def _count(self, synthetic: Bools) -> Ints:
        return np.bincount(self._kind[synthetic], minlength=len(self._n)).astype(np.int64)

    def _scored(self, score: Floats, synthetic: Ints) -> ScoredRecords:
        df = self._model.rank - (0 if self.k_syn else 1)
        return ScoredRecords(score, synthetic, self._n - synthetic, df, _DIGITS, self.k_syn)

    def observed(self) -> Outcome:
        """Fit the model to the data sets as they are."""
        fit = self._fit
        separated = int(self._n[fit.separated].sum())
        notes = []
        if fit.complete:
            notes.append("complete separation: the model tells every record right")
        elif separated:
            share = 100.0 * separated / self._n.sum()
            notes.append(
                f"separation: {separated} records ({share:.2g} %) are told right with certainty; "
                "coefficients of theirs have no finite value, the statistics have"
            )
        if not fit.converged:
            notes.append(
                f"no convergence after {fit.iterations} iterations: the model tells the data sets "
                "apart better than these statistics say"
            )
        elif fit.unstable and not fit.complete:
            notes.append(
                "some steps were shortened: directions that separate have lost their weight"
            )
        return Outcome(
            records=self._scored(fit.score, self._synthetic),
            parameters=self._model.rank,
            converged=fit.converged,
            separated=separated,
            aliased=self._matrix.columns.shape[1] + self._matrix.empty - self._model.rank,
            notes=tuple(notes),
        )

    def relabelled(self, synthetic: Bools) -> ScoredRecords:
        """Fit the model to other labels of the same records."""
        counts = self._count(synthetic)
        return self._scored(self._model.fit(counts, again=True).score, counts)

    def by_variable(self) -> pd.DataFrame:
        """Return the part of pMSE that is lost without all terms of each variable."""
        predictors = self.stacked.predictors
        terms = [self._matrix.terms[t] for t in self._matrix.term[self._model.independent]]
        names = list(dict.fromkeys(p.column for p in predictors))
        has = {name: [] for name in names}  # type: dict[str, list[int]]
        for i, term in enumerate(terms):
            for name in {predictors[position].column for position in term}:
                has[name].append(i)
        groups = [np.array(has[name], dtype=np.int64) for name in names]
        some = [group for group in groups if len(group)]
        lost = iter(self._model.lost_without(self._synthetic, some))
        rows = [(next(lost) if len(group) else 0.0, len(group)) for group in groups]
        index = pd.Index(names, name="variable")
        return pd.DataFrame(rows, index=index, columns=["pMSE_lost", "coefficients"])

    def terms(self) -> pd.DataFrame:
        """Return the terms that tell the data sets apart most."""
        independent = self._model.independent
        _, linear = self._model.linear(self._synthetic)
        order = [i for i in np.argsort(-np.abs(linear), kind="stable") if independent[i] > 0]
        order = order[:_TERMS_SHOWN]
        with np.errstate(divide="ignore", invalid="ignore"):
            z = self._fit.coefficients / self._fit.errors
        labels = [self._matrix.label(int(independent[i]), self.stacked.predictors) for i in order]
        return pd.DataFrame(
            {"term": labels, "z_linear": linear[order], "z": z[order]},
            index=pd.RangeIndex(1, len(order) + 1),
        )


class CartPropensity:
    """A classification tree of stacked records."""

    def __init__(self, stacked: Stacked, rules: TreeRules, *, k_syn: bool = False) -> None:
        self.stacked, self.rules, self.k_syn = stacked, rules, k_syn
        self._columns = code_columns(stacked.predictors)

    @cached_property
    def tree(self) -> Tree:
        """The fitted tree."""
        return grow(self._columns, self.stacked.synthetic.astype(np.int8), self.rules)

    def observed(self) -> Outcome:
        """Fit the tree to the data sets as they are."""
        leaves = len(self.tree.leaves)
        notes = ("no split pays its complexity: the tree is a single leaf",) if leaves == 1 else ()
        return Outcome(
            records=self._scored(self.tree),
            parameters=leaves,
            converged=True,
            separated=0,
            aliased=0,
            notes=notes,
        )

    def relabelled(self, synthetic: Bools) -> ScoredRecords:
        """Fit the tree to other labels of the same records."""
        target = synthetic.astype(np.int8)
        return self._scored(grow(self._columns, target, self.rules))

    def _scored(self, tree: Tree) -> ScoredRecords:
        leaves = tree.leaves
        synthetic = tree.synthetic[leaves]
        original = tree.n[leaves] - synthetic
        score = synthetic / (synthetic + original)
        return ScoredRecords(score, synthetic, original, k_syn=self.k_syn)

    def by_variable(self) -> pd.DataFrame:
        """Return the decrease of Gini's index by the splits on each variable."""
        tree, predictors = self.tree, self.stacked.predictors
        inner = tree.position >= 0
        size = len(predictors)
        decrease = np.bincount(tree.position[inner], tree.decrease[inner], minlength=size)
        splits = np.bincount(tree.position[inner], minlength=size)
        columns = [p.column for p in predictors]
        frame = pd.DataFrame({"decrease": decrease, "splits": splits}, index=columns)
        frame = frame.groupby(level=0, sort=False).sum()
        frame.index.name = "variable"
        total = frame["decrease"].sum()
        frame["share"] = frame["decrease"] / total if total else 0.0
        return frame

    def terms(self) -> pd.DataFrame:
        """Return the nodes of the tree, the root first, each with the rule that leads to it."""
        tree = self.tree
        size = len(tree.n)
        rows: list[dict[str, Any]] = [{} for _ in range(size)]
        rule, depth, parent = [""] * size, [0] * size, [0] * size
        for node in range(size):
            child = int(tree.left[node])
            variable, text, other = "", "", ""
            if child >= 0:
                predictor = self.stacked.predictors[tree.position[node]]
                variable = predictor.column
                text, other = _rules(
                    predictor, self._columns.values[tree.position[node]], tree.goes_left[node]
                )
                for place, words in ((child, text), (child + 1, other)):
                    rule[place], depth[place], parent[place] = words, depth[node] + 1, node + 1
            rows[node] = {
                "parent": parent[node],
                "depth": depth[node],
                "rule": rule[node],
                "original": int(tree.n[node] - tree.synthetic[node]),
                "synthetic": int(tree.synthetic[node]),
                "score": float(tree.synthetic[node] / tree.n[node]),
                "split_by": variable,
                "decrease": float(tree.decrease[node]),
            }
        return pd.DataFrame(rows, index=pd.RangeIndex(1, size + 1))


def _rules(predictor: Predictor, values: Floats, left: Ints) -> tuple[str, str]:
    """Say in words who goes left and who goes right."""
    if predictor.scale is Scale.NUMBER:
        last = int(left.max())  # who goes right has larger values
        cut = (values[last] + values[last + 1]) / 2.0
        return f"{predictor.name} < {cut:.6g}", f"{predictor.name} >= {cut:.6g}"
    chosen = {int(values[code]) for code in left}
    texts = ["(missing)" if label is None else label for label in predictor.labels]
    inside = ", ".join(text for i, text in enumerate(texts) if i in chosen)
    return f"{predictor.name} in {{{inside}}}", f"{predictor.name} not in {{{inside}}}"
