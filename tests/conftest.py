"""For all tests: no deadline for one example, since two machines are never equally fast."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("dalmuti", deadline=None)
settings.load_profile("dalmuti")
