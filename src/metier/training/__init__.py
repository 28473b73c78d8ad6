"""Better skill text, proven on cases that were held out: `loop.py` has the loop, `target.py` the seam to your world."""
