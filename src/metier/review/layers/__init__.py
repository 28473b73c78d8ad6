"""The layers of a review, each from a package or draft to findings: begin with `content.py`.

It imports `review/matching`, `rules` and `text`.
"""
