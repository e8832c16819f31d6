"""Each adapter with the real library, where it is installed, and a scripted model."""

import asyncio
import types

import pytest

from automode import Gate


@pytest.fixture
def gate(tmp_path):
    return Gate(tmp_path)


def test_langchain(gate):
    pytest.importorskip("langchain")
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import tool

    from automode.langchain import AutomodeMiddleware

    ran = []

    @tool
    def Bash(command: str) -> str:
        """Runs a command."""
        ran.append(command)
        return "ran"

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools, **kwargs):
            return self

    def call(command, id):
        return AIMessage(content="", tool_calls=[{"name": "Bash", "args": {"command": command}, "id": id}])

    model = Scripted(messages=iter([call("rm -rf /", "1"), call("echo hello", "2"), AIMessage(content="done")]))
    agent = create_agent(model, [Bash], middleware=[AutomodeMiddleware(gate)])
    state = agent.invoke({"messages": [{"role": "user", "content": "go"}]})
    assert ran == ["echo hello"]
    told = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    assert told[0].status == "error" and "automode" in told[0].content
    assert told[1].content == "ran"


def test_openai_agents(gate):
    pytest.importorskip("agents")
    from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    from automode.openai_agents import guardrail, needs_approval

    ran = []

    @function_tool
    def bash(command: str) -> str:
        """Runs a command."""
        ran.append(command)
        return "ran"

    bash.tool_input_guardrails = [guardrail(gate, tools={"bash": "Bash"})]

    def call(command, id):
        return ResponseFunctionToolCall(arguments='{"command": "%s"}' % command, call_id=id, name="bash", type="function_call", id=id)

    class Scripted(Model):
        def __init__(self):
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            last = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            self.turns = [[call("rm -rf /", "1")], [call("echo hello", "2")], [last]]
            self.seen = []

        async def get_response(self, system_instructions, input, *args, **kwargs):
            self.seen.append(input)
            return ModelResponse(output=self.turns.pop(0), usage=Usage(), response_id=None)

        def stream_response(self, *args, **kwargs):
            raise NotImplementedError

    model = Scripted()
    agent = Agent(name="a", tools=[bash], model=model)
    result = asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True)))
    assert result.final_output == "done" and ran == ["echo hello"]
    assert "automode" in str(model.seen[1])
    asks = needs_approval(gate, "Bash")
    assert asyncio.run(asks(None, {"command": "git push --force origin main"}, "c")) is True
    assert asyncio.run(asks(None, {"command": "echo hello"}, "c")) is False


def test_claude_agent_sdk(gate):
    pytest.importorskip("claude_agent_sdk")
    from claude_agent_sdk import ClaudeAgentOptions, PermissionResultAllow, PermissionResultDeny

    from automode.claude_agent import can_use_tool

    decide = can_use_tool(gate)
    ClaudeAgentOptions(can_use_tool=decide)
    allowed = asyncio.run(decide("Bash", {"command": "echo hello"}, None))
    assert isinstance(allowed, PermissionResultAllow)
    denied = asyncio.run(decide("Bash", {"command": "rm -rf /"}, None))
    assert isinstance(denied, PermissionResultDeny) and "automode" in denied.message
    broken = asyncio.run(decide("Bash", {"command": object()}, None))
    assert isinstance(broken, PermissionResultDeny)

    async def yes(tool, input, reason):
        return True

    asked = asyncio.run(can_use_tool(gate, ask=yes)("Bash", {"command": "git push --force origin main"}, None))
    assert isinstance(asked, PermissionResultAllow)


def test_openhands(gate, monkeypatch):
    # Its model library asks the network while it is imported, unless told not to.
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    pytest.importorskip("openhands.sdk")
    from openhands.sdk.security.risk import SecurityRisk

    from automode.openhands import AutomodeAnalyzer

    class Inner:
        def __init__(self, command):
            self.command = command

        def model_dump(self, **kwargs):
            return {"command": self.command}

    analyzer = AutomodeAnalyzer(cwd=gate.cwd)

    def risk(command):
        return analyzer.security_risk(types.SimpleNamespace(tool_name="terminal", action=Inner(command)))

    assert risk("echo hello") == SecurityRisk.LOW
    assert risk("rm -rf /") == SecurityRisk.HIGH
    assert analyzer.security_risk(types.SimpleNamespace()) == SecurityRisk.HIGH
