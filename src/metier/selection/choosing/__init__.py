"""The choice among the candidates, by a model or by the calibrated score.

Begin with `choose.py`; `ask_model.py` has the model's questions, `calibration.py` the score's probabilities. This
folder imports `models` and the types of selection; only `adviser.py` knows the workspace.
"""
