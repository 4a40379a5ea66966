"""Reports on a review: HTML, PDF, JSON and CSV, for internal eyes or an output checker.

Editions to hand out are in `outside`, and are made of no review.

Everything is written from one safe structure (`assembly.SafeReport`). In checker mode
the finished files are scanned before anything is written.
"""

import lazy_loader

# A command that only prints takes a name from `safety`, and pays for no template.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
