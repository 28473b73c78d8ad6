"""Skills in archives: `parcel.py` packs one with its history, `reader.py` reads any archive within limits.

It imports `skills` and `formats`.
"""
