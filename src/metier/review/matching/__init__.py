"""Rules applied to texts in linear time: begin with `scan.py`. It imports `review/rules` and `review/text`."""
