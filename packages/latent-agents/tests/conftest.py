"""Settings of the property tests."""

from hypothesis import settings

settings.register_profile("latent-agents", deadline=None)  # a loaded machine is no fault
settings.load_profile("latent-agents")
