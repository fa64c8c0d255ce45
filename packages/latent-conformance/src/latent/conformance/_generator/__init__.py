"""Conversations drawn by hypothesis: what a model says, what tools do, and how both are made shorter."""
