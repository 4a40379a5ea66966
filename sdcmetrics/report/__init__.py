"""Reports on a review: HTML, PDF, JSON and CSV, for internal eyes or an output checker; and editions to hand out (`outside`).

Everything is written from one safe structure (`safety.safe.SafeReport`). In checker mode
the finished files are scanned before anything is written.
"""

import lazy_loader

# A command that only prints takes a name from `safety`, and pays for no template.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
