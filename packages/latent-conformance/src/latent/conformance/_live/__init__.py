"""What the kit does with a live agent: its scenarios, and how what they show is judged."""
