"""How far the texts of a package reach, read by parsing: programs, hosts, installs, changes of trust, paths, secrets.

Begin with `reach.py`. It imports `review/text`, `review/matching` and the shell parser of `text/`.
"""
