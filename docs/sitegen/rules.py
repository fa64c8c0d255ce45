def link(rule: str) -> str:
    return f"[{rule}](rules.md)"
