"""What was seen of a run, held against its script: the kit was the model and the tools, and knows what it was."""
