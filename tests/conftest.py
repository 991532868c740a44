"""For all tests: no deadline for one example, since two machines are never equally fast, and mDNS
on loopback only, also in processes that are started, so that no packet leaves this machine."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("dalmuti", deadline=None)
settings.load_profile("dalmuti")
os.environ["DALMUTI_MDNS_INTERFACES"] = "127.0.0.1"
