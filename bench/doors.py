#!/usr/bin/env python3
"""What the doors cost: CPU a message in the ACP and MCP doors, time to the first byte and of every event in the gateway.

    cargo build --release -p automode-cli
    bench/doors.py target/release/automode
"""

import http.client
import http.server
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MESSAGES = 20_000
REQUESTS = 200
EVENTS = 400
TICKS = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Milliseconds of CPU that a process has used."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / TICKS


def through(command, first, environment):
    """Messages of a program through a door: CPU of the door for each."""
    door = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    door.stdin.write(first)
    door.stdin.flush()
    before, count = None, 0
    for line in door.stdout:
        count += 1
        if count == 100:
            before = cpu(door.pid)
        if count == MESSAGES:
            break
    used = cpu(door.pid) - before
    door.kill()
    door.wait()
    return used / (MESSAGES - 100)


SPEAKER = """
import json, sys
sys.stdin.readline()
line = json.dumps(%s) + "\\n"
for _ in range(%d):
    sys.stdout.write(line)
sys.stdout.flush()
sys.stdin.read()
"""
UPDATE = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "in_progress", "content": [{"type": "content", "content": {"type": "text", "text": "x" * 400}}], "rawInput": {"command": "make test"}}}}
NOTE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": {"type": "text", "text": "x" * 400}}}


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(b'event: ping\ndata: {"type": "ping"}\n\n')
        if self.path.endswith("?stream"):
            for _ in range(EVENTS):
                time.sleep(0.005)
                delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x" * 40}, "sent": time.perf_counter()}
                self.wfile.write(f"event: content_block_delta\ndata: {json.dumps(delta)}\n\n".encode())
        self.close_connection = True


def first_byte(port, body):
    times = []
    for _ in range(REQUESTS):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = time.perf_counter()
        connection.request("POST", "/v1/messages", body, {"content-type": "application/json"})
        connection.getresponse().read(1)
        times.append((time.perf_counter() - began) * 1000)
        connection.close()
    return statistics.median(times)


def on_the_way(port, body):
    """How long events of a stream are on their way, in milliseconds: the median and the slowest of a hundred."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/v1/messages?stream", body, {"content-type": "application/json"})
    reply = connection.getresponse()
    times = []
    for line in iter(reply.readline, b""):
        if line.startswith(b"data:") and b"sent" in line:
            times.append((time.perf_counter() - json.loads(line[5:])["sent"]) * 1000)
    connection.close()
    times.sort()
    return statistics.median(times), times[len(times) * 99 // 100]


def gateway(program, environment):
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    port = service.server_address[1]
    door = subprocess.Popen([program, "gateway", "--listen", "127.0.0.1:0", "--upstream", f"http://127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True, env=environment)
    own = int(door.stdout.readline().rsplit(":", 1)[1])
    context = {"v": 1, "live_cwd": "/tmp", "rules": {"allow": [], "deny": [], "ask": []}}
    body = json.dumps({"messages": [{"role": "user", "content": "x" * 20_000}], "stream": True, "safeguards": [{"type": "dangerous_tool_use", "classifier_context": context}]})
    direct, through_door = first_byte(port, body), first_byte(own, body)
    events, events_through = on_the_way(port, body), on_the_way(own, body)
    door.kill()
    door.wait()
    print(f"gateway: first byte after {direct:.2f} ms directly, {through_door:.2f} ms through it: {through_door - direct:+.2f} ms")
    print(f"gateway: an event is {events[0]:.2f} ms on its way directly (p99 {events[1]:.2f}), {events_through[0]:.2f} ms through it (p99 {events_through[1]:.2f}): {events_through[0] - events[0]:+.2f} ms")


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        for name, message in (("acp", UPDATE), ("mcp", NOTE)):
            speaker = [sys.executable, "-c", SPEAKER % (repr(message), MESSAGES + 10)]
            first = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
            each = through([program, name, "--", *speaker], first, environment)
            print(f"{name}: {each:.4f} ms CPU a message")
        gateway(program, environment)


main()
