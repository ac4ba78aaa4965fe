"""A summarizer without a model: it takes lines over and adds none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from opencollab_nb.messages import Messages, call_name, tool_calls_of
from opencollab_nb.shaping.summary import Summary, SummaryRequest
from opencollab_nb.summarizers.findings import findings
from opencollab_nb.summarizers.sections import fitted, merged, parsed, written
from opencollab_nb.tokens.estimate import estimate

VERSION = 1


@dataclass(frozen=True)
class ExtractiveSummarizer:
    r"""Keeps what the user said, what is finished, notes, files, errors and the newest decisions.

    What the user said stands word for word as far as it fits; `name = value` notes of the assistant
    with their newest value; commit subjects and lines such as `login: finished.` as finished. The
    former summary is read back into the same sections, so the text stays flat over any number of
    rounds. The same request gives the same text.

    Loss: everything else, readings above all. Model calls: none.

    >>> talk = [{"role": "user", "content": "Keep the schema. " * 3},
    ...         {"role": "assistant", "content": "login.wait = 30\n" + "I looked around. " * 30}]
    >>> request = SummaryRequest("\n".join(m["content"] for m in talk), talk)
    >>> print(ExtractiveSummarizer().summarize(request).text.splitlines()[-1])
    - login.wait = 30
    """

    fill_ratio: float = 2 / 3
    """Share of the allowed tokens that is used; tokenizers cut names and paths smaller than the estimate."""

    @property
    def version(self) -> str:
        """Of the way it chooses sentences."""
        return f"extractive {VERSION}"

    @property
    def fingerprint(self) -> str:
        """What the text depends on besides the request."""
        return f"opencollab_nb extractive {VERSION} {self.fill_ratio:.3f}"

    def summarize(self, request: SummaryRequest) -> Summary:
        """The summary; within `request.max_tokens` by the local estimate and shorter than what it stands for.

        Empty where the messages are so short that nothing can be left out.
        """
        former = request.former or ""
        whole = f"{former}\n{request.text}"
        sections = merged(parsed(former), findings(request.messages, request.anchors))
        room_tokens = min(int(request.max_tokens * self.fill_ratio), estimate(whole) // 2)
        text = written(fitted(sections, room_tokens)) or calls_alone(request.messages, room_tokens)
        return Summary(text if len(text) < len(whole.strip()) else "")


def calls_alone(messages: Messages, room_tokens: int) -> str:
    """What is left to say of calls that nobody said a word about; nothing where there is no room for it.

    >>> call = {"function": {"name": "ls"}}
    >>> calls_alone([{"role": "assistant", "tool_calls": [call, call]}], 30)
    'Tools were called, and nothing was noted: ls (2).'
    """
    names = Counter(call_name(call) or "unknown" for m in messages for call in tool_calls_of(m))
    told = ", ".join(f"{name} ({count})" for name, count in names.most_common(9))
    text = f"Tools were called, and nothing was noted: {told}." if told else ""
    return text if estimate(text) <= room_tokens else ""
