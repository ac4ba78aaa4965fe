"""A server on 127.0.0.1 that speaks Chat Completions over real HTTP.

It refuses what is over its window with both numbers and a history a provider would refuse, and does
what the next line of its script says:

- a message dict or text       the assistant's answer, with usage
- `Answer(status, body, ...)`  exactly that answer
- `HANG`, `HANG_IN_BODY`       nothing after the request; headers and half a body, then nothing
- `DRIP`, `DRIP_IN_HEAD`       bytes that keep coming and never end, of the body or before it
- `DROP`                       the connection is closed without an answer
- a function of the body       any of these
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

HANG, HANG_IN_BODY, DROP = "«hang»", "«hang in body»", "«drop»"
DRIP, DRIP_IN_HEAD = "«drip»", "«drip in head»"
DRIP_SECONDS = 0.02


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


def chars_over_four(text: str) -> int:
    return (len(text) + 3) // 4


class ChatServer:
    """`with ChatServer(["hello"]) as server: ... server.url`; `requests` and `headers` hold what came."""

    def __init__(
        self,
        script: Iterable[Any] | Callable[[dict], Any] = (),
        *,
        window: int | None = None,
        count: Callable[[str], int] = chars_over_four,
        usage: bool = True,
    ) -> None:
        told = iter(()) if callable(script) else iter(script)
        self.script = script if callable(script) else lambda _body: next(told, "no more lines")
        self.window, self.count, self.usage = window, count, usage
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.came = threading.Semaphore(0)
        self.over = threading.Event()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.chat = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, body: dict) -> Any:
        tokens = self.count(json.dumps([body.get("messages"), body.get("tools")], ensure_ascii=False))
        refused = fault_of(body) or self.too_long(body, tokens)
        if refused:
            return Answer(400, {"error": refused})
        line = self.script(body)
        if callable(line):
            line = line(body)
        if isinstance(line, str) and line in (HANG, HANG_IN_BODY, DROP, DRIP, DRIP_IN_HEAD):
            return line
        return line if isinstance(line, Answer) else Answer(200, self.completion(body, line, tokens))

    def too_long(self, body: dict, tokens: int) -> dict | None:
        if self.window is None or tokens <= self.window:
            return None
        text = (
            f"This model's maximum context length is {self.window} tokens. However, your messages "
            f"resulted in {tokens} tokens. Please reduce the length of the messages."
        )
        return error(text, code="context_length_exceeded", param="messages")

    def completion(self, body: dict, line: Any, tokens: int) -> dict:
        message = {"role": "assistant", "content": line} if isinstance(line, str) else line
        message = {"role": "assistant", "content": None, "refusal": None, "annotations": [], **message}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        out = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        }
        if self.usage:
            output = self.count(json.dumps(message, ensure_ascii=False))
            out["usage"] = {
                "prompt_tokens": tokens,
                "completion_tokens": output,
                "total_tokens": tokens + output,
                "prompt_tokens_details": {"cached_tokens": tokens // 2, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0},
            }
        return out


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    chat: ChatServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what half of these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_POST(self) -> None:
        chat = self.server.chat
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        chat.requests.append(body)
        chat.headers.append({k.lower(): v for k, v in self.headers.items()})
        chat.came.release()
        answer = chat.answer(body) if self.path == "/v1/chat/completions" else Answer(404, "no such path")
        if answer == HANG:
            chat.over.wait()
        elif answer == HANG_IN_BODY:
            self.begin(200, 1000, {})
            self.wfile.write(b'{"choices"')
            self.wfile.flush()
            chat.over.wait()
        elif answer in (DRIP, DRIP_IN_HEAD):
            self.drip(head=answer == DRIP_IN_HEAD)
        if isinstance(answer, str):
            self.close_connection = True
            return
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        self.begin(answer.status, len(text.encode()), answer.headers)
        self.wfile.write(text.encode())

    def drip(self, *, head: bool) -> None:
        if head:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        else:
            self.begin(200, 1_000_000, {})
        while not self.server.chat.over.wait(DRIP_SECONDS):
            self.wfile.write(b"x" if head else b" ")
            self.wfile.flush()

    def begin(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


def error(text: str, *, code: str | None = None, param: str | None = None) -> dict:
    return {"message": text, "type": "invalid_request_error", "param": param, "code": code}


def fault_of(body: dict) -> dict | None:
    """OpenAI's refusal of a malformed history, or None for a sound one."""
    messages = body.get("messages")
    if not messages:
        return error("Invalid 'messages': empty array.", param="messages")
    waiting: list[str] = []
    for place, message in enumerate(messages):
        where = f"messages.[{place}].role"
        if "meta" in message:
            return error("Unrecognized request argument: meta", param=where)
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in waiting:
                text = (
                    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                )
                return error(f"Invalid parameter: {text}", param=where)
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return unanswered(waiting, where)
        for call in message.get("tool_calls") or ():
            try:
                arguments = json.loads(call["function"]["arguments"])
            except (TypeError, ValueError):
                arguments = None
            if not isinstance(arguments, dict):
                return error("tool call arguments must be a valid JSON object string", param=where)
            waiting.append(call["id"])
        if message.get("content") is None and not message.get("tool_calls"):
            return error(f"Invalid value for 'content': expected a string, got null. {where}", param=where)
    return unanswered(waiting, "messages") if waiting else None


def unanswered(ids: list[str], where: str) -> dict:
    return error(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(ids)}",
        param=where,
    )
