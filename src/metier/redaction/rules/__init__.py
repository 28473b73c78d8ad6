"""The table of secret shapes: begin with `rule.py`, then `table.py`. It imports nothing else of Metier."""
