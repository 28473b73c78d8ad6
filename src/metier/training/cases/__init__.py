"""Cases: read, split and put into batches. Begin with `read.py`; imports no service."""
