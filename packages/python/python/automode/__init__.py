"""Auto mode for any coding agent: allow, ask or deny, with the ground of the answer.

>>> from automode import Gate
>>> gate = Gate(".")
>>> gate.check("Bash", {"command": "rm -rf /"}).verdict
'deny'
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, Mapping

from ._automode import Decision, Session
from ._automode import Gate as _Gate

__all__ = ["Decision", "Gate", "Session", "check", "explain"]


class Gate:
    """Decides tool calls under the settings of a directory."""

    def __init__(self, cwd: str | os.PathLike[str] = ".", *, config: str | os.PathLike[str] | None = None) -> None:
        self._gate = _Gate(cwd, config)
        self._session: Session | None = None

    @property
    def cwd(self) -> str:
        return self._gate.cwd

    def session(self, *, headless: bool = True, mode: str = "auto") -> Session:
        """A session that works in the gate's directory."""
        return Session(self.cwd, headless=headless, mode=mode)

    def check(
        self,
        tool: str,
        input: Mapping[str, Any],
        session: Session | None = None,
        *,
        cwd: str | None = None,
    ) -> Decision:
        """Decides one call and records it in the session. A failure is a decision, never an allow."""
        if session is None:
            if self._session is None:
                self._session = self.session()
            session = self._session
        return self._gate.check_json(tool, json.dumps(dict(input)), session, cwd)

    async def check_async(
        self,
        tool: str,
        input: Mapping[str, Any],
        session: Session | None = None,
        *,
        cwd: str | None = None,
    ) -> Decision:
        """The same, beside the event loop."""
        return await asyncio.to_thread(self.check, tool, input, session, cwd=cwd)


def check(command: str, cwd: str | os.PathLike[str] = ".") -> Decision:
    """What would be answered to one shell command."""
    return Gate(cwd).check("Bash", {"command": command})


def explain(command: str, cwd: str | os.PathLike[str] = ".") -> str:
    """How the answer to one shell command comes about, stage by stage."""
    decision = check(command, cwd)
    lines = [f"{decision.verdict}  {decision.reason}", f"ground: {decision.ground}"]
    return "\n".join(lines + [f"  {entry}" for entry in decision.trace])
