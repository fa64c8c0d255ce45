"""The author's code at work: found, built, driven on a loop of its own, and broken off where it does not return."""
