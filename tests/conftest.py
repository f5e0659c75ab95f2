"""Settings of all tests."""

import os

from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does, so that a process may fork

settings.register_profile("spaneval", deadline=None)  # a busy machine is no failure
settings.load_profile("spaneval")
