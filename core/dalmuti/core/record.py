"""A match as a text transcript: save, load, replay, verify.

One line an input, in the order in which the match took it, so that giving the lines to a new Match
again leads to the same events. A person can read it, and a program in any language can parse it:

    dalmuti-match 1
    table Kitchen
    rules seats=4,scoring=points
    sit 1 human Ada
    hand 1 order 3,1,2,4 commitment 5f2c.. nonces 1:77ab..,3:90cd..
    titles order 3,1,2,4 draws 1:12,2:6,3:1,4:2,5:12 / 1:5,5:13
    deal 1,2,2,9 / 3,3,12,J / ...
    move 0 decline
    move 1 give 9,12
    move 0 3x9+1J standin
    places 3,1,4,2
    seed 1 83af..
    sum 1 90d1..

`sum` is the SHA-256 of every line since the last `sum`, so that a changed line is found even
where the rules alone could not tell. Only the revealed seed proves the deal; that is `verify`.
"""

from __future__ import annotations
