"""What one session shows: begin with `mine.py`, which puts the others together; `sightings.py` is what is kept."""
