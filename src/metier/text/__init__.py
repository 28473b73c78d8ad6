"""Words of a text: `words.py` for search, clustering and the embedder, `terms.py` for names and key words.

`shell/` reads command lines.

It imports nothing else of Metier.
"""
