"""The sample sessions of the demo, and the scripted agents that work in them."""
