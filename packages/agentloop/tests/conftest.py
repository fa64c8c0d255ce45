from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong.
settings.register_profile("agentloop", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("agentloop")
