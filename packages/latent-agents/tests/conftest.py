"""Settings of the property tests."""

from hypothesis import HealthCheck, settings

# A loaded machine is no fault.
settings.register_profile("latent-agents", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("latent-agents")
