"""A simulated world for the demo and the benchmarks of training; begin with `world`. It needs no model."""
