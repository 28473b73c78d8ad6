"""How good selection is: labelled queries are asked, and the answers are compared with the labels.

Begin with `run.py` (what `metier eval selection` does) and `admission.py` (what `metier eval admission` does). This
folder imports the rest of selection, `library` and `statistics`.
"""
