"""Rules by a model's judgement: begin with `by_model.py`; `grounding.py` decides which of its lines may stand."""
