"""R's synthpop itself, from Python: any replica as its object, its functions, its results.

R runs in a process of its own, so that it can crash, hang or run out of memory without taking
this one with it. rpy2 is imported there and nowhere else. Without R only this package is lost.
"""

import lazy_loader

# The process that runs R reads little of this.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
