"""What to assess; `demo` is a study of embedded data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["demo"])
