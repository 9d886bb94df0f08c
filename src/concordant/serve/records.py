"""Records: a result as one worker leaves it for another, and as the store keeps it.

A record is JSON. Reading it runs no code, whoever wrote it, and later versions can read it too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from concordant.consensus import Consensus
from concordant.errors import InputError

if TYPE_CHECKING:
    from concordant.resampling import Bootstrap


def pack_record(
    result: Consensus, firm: Bootstrap | None = None, proof: bytes | None = None
) -> bytes:
    """Return a result, its bootstrap and its proof file as bytes.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> result = aggregate(Rankings.from_orders([["a", "b"]]))
        >>> unpack_record(pack_record(result))[0].ranking
        ('a', 'b')
    """
    facts = {**result.to_dict(), "trace": [list(point) for point in result.trace]}
    record = {
        "result": facts,
        "bootstrap": None if firm is None else firm.to_dict(),
        "proof": None if proof is None else proof.decode("ascii"),
    }
    # As an escape of JSON, a single surrogate in a name can be encoded.
    return json.dumps(record, allow_nan=False).encode()


def unpack_record(record: bytes) -> tuple[Consensus, Bootstrap | None]:
    """Return the result and the bootstrap of a record.

    Raises:
        InputError: The record was written by another version.
    """
    from concordant.resampling import Bootstrap

    try:
        found = json.loads(record)
        firm = found["bootstrap"]
        result = Consensus.from_dict(found["result"])
        return result, None if firm is None else Bootstrap.from_dict(firm)
    except (ValueError, KeyError, TypeError, InputError):
        raise InputError(
            "this result was written by another version of Concordant: submit the rankings again"
        ) from None


def proof_of(record: bytes) -> bytes | None:
    """Return the proof file of a record; None if it has none.

    Example:
        >>> from concordant import aggregate, Rankings
        >>> result = aggregate(Rankings.from_orders([["a", "b"]]))
        >>> proof_of(pack_record(result, proof=b"{}")), proof_of(pack_record(result))
        (b'{}', None)
    """
    proof = json.loads(record).get("proof")
    return proof.encode("ascii") if isinstance(proof, str) else None
