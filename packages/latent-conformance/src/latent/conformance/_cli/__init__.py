"""The command `latent-conformance`."""
