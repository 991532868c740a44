"""`dalmuti replay` and `dalmuti verify`: a saved match told, stepped through, and its deals proved.

`script` cuts a record into hands and moves, `reel` says what one viewer saw at each of them, and
`cursor` is a place in there. `telling` tells all of it in sentences, `talk` answers what is typed,
`dalmuti.client.tui.rewind` is the same on the full screen; `command` chooses between them.
"""

from dalmuti.client.replay.telling import RecordError, player_of, read, tell, verdicts

__all__ = ["RecordError", "player_of", "read", "tell", "verdicts"]
