"""What the command line prints of a ranking."""

from __future__ import annotations

from pathlib import Path

from sdcmetrics.cli.saving import save_csv
from sdcmetrics.cli.terminal import number_text, one_line, print_frame, print_lines, print_table
from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.anchors import MEANING
from sdcmetrics.ranking.phrase import Phrase, plain_text
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report.safety.names import Names


def show_ranking(ranking: Ranking, csv: Path | None) -> None:
    """Print who is first, how sure that is and what would change it; save CSV if asked."""
    save_csv(ranking.to_frame().set_index("replica"), csv)
    names = Names()
    metrics = [criterion.name for criterion in ranking.table.criteria]
    scores = ranking.scores.to_numpy()
    rows = []
    for replica in ranking.by_place:
        i = ranking.replicas.index(replica)
        first = sentences.percent(ranking.acceptability.to_numpy()[i, 0])
        cells = [number_text(ranking.places[i]), _score(ranking.totals[i]), first]
        rows.append([names(replica).text, *cells, *map(_score, scores[i])])
    print_table(["replica"], ["place", "total", "first", *metrics], rows)
    weights = ", ".join(f"{name} {weight:.3g}" for name, weight in ranking.weights.flat().items())
    print_lines(f"weights: {weights}", "")
    phrases: list[Phrase] = [sentences.winner(ranking), *sentences.how_sure(ranking)]
    if len(ranking.replicas) == 1:
        phrases = [("There is one replica, so it has nothing to be ranked against.",)]
    phrases += ranking.notes
    print_lines(*(f"- {one_line(plain_text(phrase))}" for phrase in phrases))
    if ranking.anchors:
        print_lines("", "scores between references, each counted from 0 to 1")
        print_frame(ranking.map, ["utility", "protection"], "data", text=_score)
        print_lines(sentences.on_map(ranking), *MEANING.values())


def _score(value: float) -> str:
    return number_text(round(value, 3))
