"""Words of a text: `words.py` for search, clustering, the embedder, names and key words.

`shell/` reads command lines.

It imports nothing else of Metier.
"""
