"""Laws are tried on the same examples every time, and on no clock: a red run means a broken law, not a busy machine.

HYPOTHESIS_PROFILE=search tries new examples instead.
"""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
