"""The client of Parley.

``Client`` has a method for each operation of the API. ``parley.models`` are what they take and give.
``parley.generated`` and ``parley.operations`` are made of the API's document (``make clients``); the
rest is written by hand and knows no single operation.
"""

from .client import Client
from .errors import InvalidSignature, ParleyError, Problem
from .events import Followed
from .generated import models
from .generated.models import *  # noqa: F403
from .generated.types import UNSET, File, Unset
from .notifications import read_notification
from .operations import VERSION as __version__

__all__ = [
    "UNSET",
    "Client",
    "File",
    "Followed",
    "InvalidSignature",
    "ParleyError",
    "Problem",
    "Unset",
    "__version__",
    "models",
    "read_notification",
]
__all__ += models.__all__
