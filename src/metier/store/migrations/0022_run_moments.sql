-- Runs since a moment: without an index, a period in which nothing happened means going through all runs.

CREATE RUN MOMENTS;
