"""Trains the expert's networks, and writes the learning curve.

    python -m tools.train FOLDER --seed 1 --rounds 4000        begins, or goes on where it stopped
    python -m tools.train FOLDER --export expert-v1.weights    writes the file of the package

In FOLDER are `checkpoint.npz`, which holds everything that the next round depends on, and
`curve.jsonl`, one JSON object each time the networks were tried.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums in the same order, whatever the machine


def main() -> int:
    made = argparse.ArgumentParser(prog="python -m tools.train", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("folder")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--rounds", type=int, default=4000, help="in all (4000)")
    made.add_argument("--hands", type=int, default=600, help="hands in a round (600)")
    made.add_argument("--threads", type=int, default=2, help="threads that play (2)")
    made.add_argument("--stop-after", type=int, help="stop after so many rounds of this run")
    made.add_argument("--try-every", type=int, default=100, help="rounds between trials (100)")
    made.add_argument("--deals", type=int, default=500, help="deals of a trial (500)")
    made.add_argument("--first", type=int, default=80, help="units of the first layer (80)")
    made.add_argument("--second", type=int, default=32, help="units of the second layer (32)")
    made.add_argument("--export", metavar="FILE", help="write the weights for the bot, and stop")
    given = made.parse_args()
    if given.export:
        from tools.train.export import export

        export(Path(given.folder), Path(given.export))
    else:
        from tools.train.run import train

        train(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
