"""One HTTP exchange with a model server: begin with `client.py`.

It imports `wire` for the bodies and the foundation below `models`.
"""
