"""May it ship? Four layers that look at a skill package or a draft and answer with findings."""
