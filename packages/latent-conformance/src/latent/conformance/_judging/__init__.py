"""The judgement of one agent, from the first look to the report."""
