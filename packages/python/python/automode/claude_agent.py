"""Claude Agent SDK: `can_use_tool`.

    options = ClaudeAgentOptions(can_use_tool=can_use_tool(Gate(".")))
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny

from . import Gate, Session


def can_use_tool(
    gate: Gate,
    session: Session | None = None,
    *,
    ask: Callable[[str, dict[str, Any], str], Awaitable[bool]] | None = None,
) -> Callable[[str, dict[str, Any], Any], Awaitable[PermissionResultAllow | PermissionResultDeny]]:
    """Allows, denies with the reason, and asks `ask` where there is one."""
    own = session or gate.session(headless=ask is None)

    async def decide(tool: str, input: dict[str, Any], _context: Any) -> PermissionResultAllow | PermissionResultDeny:
        try:
            decision = await gate.check_async(tool, input, own)
        except Exception as error:  # whatever went wrong, nothing runs
            return PermissionResultDeny(message=f"automode could not decide and denies: {error}")
        if decision.verdict == "allow":
            return PermissionResultAllow(updated_input=input)
        if decision.verdict == "ask" and ask is not None and await ask(tool, input, decision.reason) is True:
            return PermissionResultAllow(updated_input=input)
        return PermissionResultDeny(message=f"automode: {decision.reason}", interrupt=decision.stop)

    return decide
