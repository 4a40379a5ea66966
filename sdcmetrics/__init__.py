"""Statistical disclosure review of synthetic microdata.

May this replica of confidential microdata be released, and is it worth releasing?

The public names are listed once, in ``__init__.pyi``; each is imported when it is first used.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
