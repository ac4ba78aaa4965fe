"""Hypothesis strategies: transcripts, sound or cut off, and pressures near their weight."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from opencollab_nb.messages import Message, Messages
from opencollab_nb.pressure import Pressure
from tests.build import assistant, call, numbered, result, system, user

TOOLS = ("bash", "file_read", "grep", "apply_patch", "ask")
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}

pieces = st.sampled_from(["a", "line of output ", "错误", "QUJD", "🦊", "\n", "<|endoftext|>", "é", " "])
texts = st.builds(
    lambda piece, times: (piece * times) or "ok", pieces, st.sampled_from([1, 2, 9, 40, 400, 6_000])
)
part_lists = st.lists(
    st.one_of(texts.map(lambda t: {"type": "text", "text": t}), st.just(IMAGE)), min_size=1, max_size=3
)
contents = st.one_of(texts, texts, texts, part_lists)


@st.composite
def steps(draw: st.DrawFn) -> Messages:
    ids = draw(st.lists(st.sampled_from(["call_0", "a", "b", "c"]), min_size=1, max_size=3))
    arguments = st.sampled_from(["{}", '{"path": "a.py"}', '{"path": ', '{"content": "' + "x " * 900 + '"}'])
    calls = [call(draw(st.sampled_from(TOOLS)), draw(arguments), own) for own in ids]
    results = [result(draw(contents), own) for own in ids]
    fate = draw(st.integers(0, 19))
    if fate == 0:
        results.pop()
    if fate == 1:
        results.append(result(draw(texts), "gone"))
    if fate == 2:
        results[0] = {**results[0], "meta": {"priority": 100}}
    head = assistant(draw(st.one_of(st.none(), texts)), *calls)
    return [head, *results]


def spoken(role: str, text: str, meta: dict[str, Any]) -> Messages:
    message: Message = {"role": role, "content": text}
    return [{**message, "meta": meta} if meta else message]


metas = st.sampled_from([{}, {}, {"priority": 85}, {"source": "context", "priority": 30}, {"source": "user"}])


@st.composite
def transcripts(draw: st.DrawFn) -> Messages:
    out: Messages = draw(
        st.sampled_from([[], [system()], [{"role": "developer", "content": "You are a coder."}]])
    )
    first = user(draw(texts), **draw(st.sampled_from([{}, {"source": "task", "priority": 80}])))
    parts = st.one_of(
        steps(), steps(), st.builds(spoken, st.sampled_from(["user", "assistant"]), texts, metas)
    )
    return numbered([*out, first, *(m for part in draw(st.lists(parts, max_size=10)) for m in part)])


@st.composite
def pressures(draw: st.DrawFn, messages: Messages) -> Pressure:
    """Calm, over, in a round or forced; weights as estimated, or corrected up or down."""
    ratio = draw(st.sampled_from([1.0, 1.0, 0.75, 1.5]))
    weigh = Pressure.of().weigh.scaled(ratio)
    total = weigh.total(messages)
    window = max(1_024, int(total * draw(st.sampled_from([0.4, 0.8, 1.2, 1.6, 2.4, 5.0]))))
    overhead = draw(st.sampled_from([0, 0, 300]))
    pressure = Pressure.of(window, weigh=weigh, overhead_tokens=overhead)
    kind = draw(st.sampled_from(["as is", "as is", "round", "forced"]))
    if kind == "forced":
        return pressure.after_refusal(messages)
    return pressure.in_round() if kind == "round" and pressure.over(messages) else pressure


@st.composite
def cases(draw: st.DrawFn) -> tuple[Messages, Pressure]:
    messages = draw(transcripts())
    return messages, draw(pressures(messages))
