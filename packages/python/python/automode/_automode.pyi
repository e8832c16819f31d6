import os

class Decision:
    verdict: str
    reason: str
    ground: str
    stop: bool
    trace: list[str]
    findings: list[str]
    effects: list[str]
    @property
    def allowed(self) -> bool: ...

class Session:
    def __new__(cls, cwd: str | os.PathLike[str], headless: bool = True, mode: str = "auto") -> "Session": ...
    def hear(self, words: str) -> None: ...
    def probe(self, tool: str, result: str) -> str | None: ...

class Gate:
    cwd: str
    def __new__(cls, cwd: str | os.PathLike[str], config: str | os.PathLike[str] | None = None) -> "Gate": ...
    def check_json(self, tool: str, input: str, session: Session, cwd: str | None) -> Decision: ...
