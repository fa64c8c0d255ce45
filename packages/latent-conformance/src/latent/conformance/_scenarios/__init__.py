"""What a live agent is put through: its scenarios, and what each is to show."""
