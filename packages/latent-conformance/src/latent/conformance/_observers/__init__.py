"""One observer for each family of events. The checker hands each event to those that asked for its type."""
