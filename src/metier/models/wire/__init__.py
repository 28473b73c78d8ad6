"""The protocols of model servers, without any network: begin with `protocol.py`.

It imports `models/model.py` and `failures.py`.
"""
