"""OpenHands: a security analyzer.

    agent = Agent(llm=llm, tools=tools, security_analyzer=AutomodeAnalyzer())

A risk level cannot deny there: with `ConfirmRisky` everything that is not allowed waits
for a confirmation. Register the hook as well, which can deny.
"""

from __future__ import annotations

import os
from typing import Any

from openhands.sdk.security.analyzer import SecurityAnalyzerBase
from openhands.sdk.security.risk import SecurityRisk
from pydantic import PrivateAttr

from . import Gate

NAMES = {"terminal": "Bash", "execute_bash": "Bash"}


class AutomodeAnalyzer(SecurityAnalyzerBase):
    """Low where automode allows, high everywhere else."""

    cwd: str = "."
    _gate: Gate | None = PrivateAttr(default=None)

    def security_risk(self, action: Any) -> SecurityRisk:
        try:
            if self._gate is None:
                self._gate = Gate(os.path.abspath(self.cwd))
            name = getattr(action, "tool_name", "")
            inner = getattr(action, "action", None)
            fields = inner.model_dump(exclude={"kind"}, exclude_none=True) if inner is not None else {}
            decision = self._gate.check(NAMES.get(name, name), fields)
        except Exception:  # whatever went wrong is a risk
            return SecurityRisk.HIGH
        return SecurityRisk.LOW if decision.verdict == "allow" else SecurityRisk.HIGH
