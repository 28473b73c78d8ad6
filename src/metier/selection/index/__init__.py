"""The index of skills by words and by meaning.

Begin with `index.py` (the search), then `entries.py` (one skill analysed). This folder imports `models` and `text`;
only `update.py` and `remote_vectors.py` know the store.
"""
