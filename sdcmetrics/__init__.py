"""Statistical disclosure review of synthetic microdata.

May this replica of confidential microdata be released, and is it worth releasing?

The public names are in ``__init__.pyi``; each is imported when it is first used. What most people
need is listed here; the functions on two files are in `utility`, `risk`, `survey` and `fits`, and
all of them under the package itself as well.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, _, _NAMES = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "MEASURES",
    "Measure",
    "SdcMetricsError",
    "Study",
    "compare_replicas",
    "conduct",
    "crosscheck",
    "decisions",
    "demo",
    "explain",
    "fits",
    "judge",
    "people",
    "rbridge",
    "read",
    "read_study",
    "report",
    "risk",
    "scan",
    "suites",
    "survey",
    "utility",
]


def __dir__() -> list[str]:
    return [*__all__]
