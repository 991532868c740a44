"""For all tests: no deadline for one example, since two machines are never equally fast, mDNS on
loopback only, so that no packet leaves this machine, and texts in English whatever the locale; all
of this in processes that are started, too."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("dalmuti", deadline=None)
settings.load_profile("dalmuti")
os.environ["DALMUTI_MDNS_INTERFACES"] = "127.0.0.1"
os.environ["LC_ALL"] = "C.UTF-8"
