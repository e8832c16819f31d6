"""LangChain and LangGraph: a middleware that decides every tool call.

    agent = create_agent(model, tools, middleware=[AutomodeMiddleware(Gate("."))])
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage

from . import Decision, Gate, Session


class AutomodeMiddleware(AgentMiddleware):
    """Runs what is allowed; the model reads why the rest is not.

    `ask` is called with the tool's name, its arguments and the reason where a person has
    to decide; without one, a question is a denial.
    """

    def __init__(
        self,
        gate: Gate,
        session: Session | None = None,
        *,
        tools: dict[str, str] | None = None,
        ask: Callable[[str, dict[str, Any], str], bool] | None = None,
    ) -> None:
        super().__init__()
        self.gate = gate
        self.session = session or gate.session(headless=ask is None)
        self.names = tools or {}
        self.ask = ask

    def _refusal(self, call: dict[str, Any], decision: Decision) -> ToolMessage | None:
        if decision.verdict == "allow":
            return None
        if decision.verdict == "ask" and self.ask and self.ask(call["name"], call["args"], decision.reason) is True:
            return None
        return ToolMessage(content=f"automode: {decision.reason}", tool_call_id=call["id"], name=call["name"], status="error")

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        call = request.tool_call
        decision = self.gate.check(self.names.get(call["name"], call["name"]), call["args"], self.session)
        refusal = self._refusal(call, decision)
        return handler(request) if refusal is None else refusal

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        call = request.tool_call
        decision = await self.gate.check_async(self.names.get(call["name"], call["name"]), call["args"], self.session)
        refusal = self._refusal(call, decision)
        return await handler(request) if refusal is None else refusal
