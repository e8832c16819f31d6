"""OpenAI Agents SDK: a guardrail for the input of tools, and `needs_approval`.

    gate = Gate(".")
    @function_tool(needs_approval=needs_approval(gate, "Bash"))
    def bash(command: str) -> str: ...
    bash.tool_input_guardrails = [guardrail(gate, tools={"bash": "Bash"})]
"""

from __future__ import annotations

import json
from typing import Any, Awaitable, Callable

from agents import ToolGuardrailFunctionOutput, ToolInputGuardrail

from . import Gate, Session


def guardrail(gate: Gate, session: Session | None = None, *, tools: dict[str, str] | None = None) -> ToolInputGuardrail[Any]:
    """Refuses what is denied; what needs a person is refused too, unless `needs_approval` asked them."""
    own = session or gate.session()
    names = tools or {}

    async def decide(data: Any) -> ToolGuardrailFunctionOutput:
        name = data.context.tool_name
        try:
            arguments = json.loads(data.context.tool_arguments or "{}")
            decision = await gate.check_async(names.get(name, name), arguments, own)
        except Exception as error:  # whatever went wrong, nothing runs
            return ToolGuardrailFunctionOutput.reject_content(f"automode could not decide and denies: {error}")
        if decision.verdict == "allow":
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(f"automode: {decision.reason}")

    return ToolInputGuardrail(guardrail_function=decide, name="automode")


def needs_approval(gate: Gate, tool: str, session: Session | None = None) -> Callable[[Any, dict[str, Any], str], Awaitable[bool]]:
    """Whether a person has to be asked before a tool runs."""
    own = session or gate.session(headless=False)

    async def decide(_context: Any, params: dict[str, Any], _call_id: str) -> bool:
        try:
            return (await gate.check_async(tool, params, own)).verdict != "allow"
        except Exception:
            return True

    return decide
