"""What one session shows: begin with `net.py`, which puts the others together; `types/sightings.py` is what is kept."""
