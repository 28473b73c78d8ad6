"""Many machines, one store: jobs are handed in, and workers do them. Begin with `jobs.py`."""
