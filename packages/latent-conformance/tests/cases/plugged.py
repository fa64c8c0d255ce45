"""Agents for a folder of their own, and pytest started there as a user starts it."""

from __future__ import annotations

import pytest

AGENTS = """
from cases.agent import sound
from cases.broken_answers import ArgumentsInText, RunsWhatWasCutOff
from cases.broken_generated import FlattensLists

def hidden(harness):
    return FlattensLists(harness.model, harness.tools, harness.max_iterations)

def broken(harness):
    return ArgumentsInText(harness.model, harness.tools, harness.max_iterations)

def untidy(harness):
    return RunsWhatWasCutOff(harness.model, harness.tools, harness.max_iterations)

def declared(harness):
    return sound(harness)

declared.capabilities = {"tools", "parallel_tools", "reasoning", "usage", "odd_wire"}

def deviating(harness):
    return broken(harness)

deviating.known_deviations = {"TEXT-6": "shown on purpose"}

class Careless:
    def __del__(self):
        raise OSError("the file was left open, number 7")

def careless(harness):
    agent = sound(harness)
    agent.keeps = Careless()
    return agent

def angry(harness):
    raise OSError("no such weights")

for make in (sound, untidy, declared, careless):  # which have nothing to find
    make.examples = 5
"""
CLASS = """
from latent.conformance import AgentConformance
from agents import {factory}

class TestMine(AgentConformance):
    examples = getattr({factory}, "examples", None)
    {declaration}

    def make_agent(self, harness):
        return {factory}(harness)
"""


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """pytest in a process of its own, every warning an error."""
    return pytester.runpytest_subprocess(
        "-W", "error", "-p", "no:asyncio", "-p", "no:cacheprovider", "-p", "no:randomly", *options
    )


def judge(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return run(pytester, "--latent-conformance", *options)


def has(result: pytest.RunResult, *lines: str) -> None:
    result.stdout.fnmatch_lines([*lines])
