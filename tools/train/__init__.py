"""The trainer of the house bot `expert`: deep Monte Carlo by self-play, compiled with numba.

    python -m tools.train --help

It needs the extra `train` (numba and NumPy) and is no part of what is installed.
"""
