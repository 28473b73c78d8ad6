"""May it ship? Layers look at a skill package or a draft and answer with findings.

Begin with `review.py`, then `types/reviews.py` (the answer) and `layers/`. This folder imports `skills`, `redaction`
and what is below; it reads no file, no store and no clock.
"""
