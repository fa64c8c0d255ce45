"""The bridge to `latent.protocol`: histories and runs as transcripts, and back. Needs the extra `latent`.

What parts cannot hold (system rows, ids of rows, images, numbers of steps) is kept in an `Origin` of the provider
`latent`, which only this package reads, so that it comes back as it was.
"""

try:
    from agentloop.adapters.latent._bridge import from_latent, to_invoke_result, to_latent
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] not in ("latent", "msgspec"):
        raise
    raise ModuleNotFoundError(
        "agentloop.adapters.latent needs latent-protocol: install agentloop with its extra `latent`", name=error.name
    ) from error

__all__ = ["from_latent", "to_invoke_result", "to_latent"]
