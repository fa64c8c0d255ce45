"""The pytest plugin of latent-conformance.

It stands outside the package so that pytest, which loads it at every start, imports nothing else.
"""
