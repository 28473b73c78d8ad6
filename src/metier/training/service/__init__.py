"""The service: what a training needs from a workspace. Begin with `order.py` and `stack.py`; imports the library."""
