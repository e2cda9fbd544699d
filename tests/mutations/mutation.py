"""One bug that somebody could make, and who must catch it.

`breaks` names invariants of the scheduler and the autoscaler (I-1: bound once; I-2: no node has too
much; I-3: no write without the lease; I-4: no bind against what is known; I-5: everybody is settled
in the end; I-6: what is known is what is there; I-7: no scale-down in the dark, and replicas within
their bounds; I-8: bounded memory; I-9: bounded requests; I-10: the same answer each time; I-11: no
attempt is forgotten; I-12: no secret is told), answers to threats (T-08: TLS from 1.2 on; T-10: no
program is run that others could have chosen; T-24: nobody inherits what is open), and bugs that
other schedulers and controllers had, as owner/repository#number.
"""
from dataclasses import dataclass


@dataclass
class Mutation:
    bug: str
    breaks: tuple
    file: str  # below libgedge/src
    find: str  # there once
    put: str
    by: tuple  # commands of run.py, the likeliest first
