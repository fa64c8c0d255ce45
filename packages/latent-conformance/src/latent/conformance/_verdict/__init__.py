"""What a judgement is made of: findings, what an author declares, the ledger and the report, and how they read."""
