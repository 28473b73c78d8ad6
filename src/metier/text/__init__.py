"""Words of a text: `words.py` for search, clustering and the embedder, `terms.py` for names and key words.

It imports nothing else of Metier.
"""
