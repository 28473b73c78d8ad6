"""How results look on a terminal and as JSON, one file per command; begin with `run`. Views write nothing."""
