"""The old path of the buffered view."""

import latent.agents.invoke
import latent.protocol


def test_both_paths_lead_to_the_same_objects():
    assert latent.agents.invoke.Step is latent.protocol.Step
    assert latent.agents.invoke.InvokeResult is latent.protocol.InvokeResult
