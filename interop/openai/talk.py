"""OpenAI's client, pointed at Parley: a model and a deployed agent, whole and as streams, tools, the list of models,
and refusals as the client's own exceptions."""

import json
import os
import uuid

import openai
import world


def client(key, **more):
    return openai.OpenAI(api_key=key, base_url=world.URL + "/v1", max_retries=0, **more)


hello = [{"role": "system", "content": "Be kind"}, {"role": "user", "content": "Hello there"}]
tools = [{"type": "function", "function": {"name": "find_order", "parameters": {"type": "object"}}}]
agent = "openai-" + uuid.uuid4().hex[:8]
deployed = world.deploy({agent: f"""DSL: 1
AGENT: {agent}
GATHER: {{kind: {{TYPE: enum, OPTIONS: [gas, water], PROMPT: "Gas or water?"}}}}
ON_START: {{SAY: Good day.}}
FLOW: {{START: which, STEPS: {{which: {{GATHER: [kind], NEXT: bye}}, bye: {{SAY: "Thank you for the {{{{ gather.kind }}}}.", END: true}}}}}}
"""}, agent, "openai")["endpointSlug"]

with client(os.environ["PARLEY_TOKEN"], project=world.PROJECT) as ai:
    assert {"local", deployed} <= {m.id for m in ai.models.list()}, ai.models.list()
    assert ai.models.retrieve(deployed).id == deployed, deployed

    whole = ai.chat.completions.create(model="local", messages=hello, temperature=0, max_completion_tokens=100, user="u")
    assert whole.choices[0].message.content == "My goal: Be kind You said: Hello there", whole
    assert whole.choices[0].finish_reason == "stop" and whole.usage.total_tokens == 12, whole
    short = ai.chat.completions.create(model="local", messages=hello, max_tokens=2)
    assert short.choices[0].finish_reason == "length", short
    dot = {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}
    seen = ai.chat.completions.create(model="local", messages=[{"role": "user", "content": [
        {"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": dot}]}])
    assert "What is it?" in seen.choices[0].message.content and "not shown pictures" in seen.choices[0].message.content, seen

    with ai.chat.completions.create(model="local", messages=hello, stream=True,
                                    stream_options={"include_usage": True}) as stream:
        chunks = list(stream)
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == whole.choices[0].message.content, text
    assert chunks[-1].usage == whole.usage and not chunks[-1].choices, chunks[-1]

    # The client's helper puts chunks together by itself, and refuses those that do not fit.
    with ai.chat.completions.stream(model="local", messages=[{"role": "user", "content": 'find_order {"id": 17}'}],
                                    tools=tools) as stream:
        for _ in stream:
            pass
        made = stream.get_final_completion().choices[0]
    call = made.message.tool_calls[0]
    assert (made.finish_reason, call.function.name, json.loads(call.function.arguments)) == (
        "tool_calls", "find_order", {"id": 17}), made
    told = ai.chat.completions.create(model="local", tools=tools, messages=[
        {"role": "user", "content": "find_order"}, made.message.model_dump(exclude_none=True, include={"role", "tool_calls"}),
        {"role": "tool", "tool_call_id": call.id, "content": "on its way"}])
    assert told.choices[0].message.content == "The tool answered: on its way", told

    begun = ai.chat.completions.create(model=deployed, messages=[{"role": "user", "content": "Hi"}])
    assert begun.choices[0].message.content == "Good day.\nGas or water?", begun
    with ai.chat.completions.create(model=deployed, messages=[{"role": "user", "content": "water"}],
                                    metadata=begun.metadata, stream=True) as stream:
        text = "".join(c.choices[0].delta.content or "" for c in stream)
    assert text == "Thank you for the water.", text

    for wrong, kind, param in ((dict(model="gpt-4o"), openai.NotFoundError, "model"),
                               (dict(n=2), openai.BadRequestError, "n"),
                               (dict(n=2, stream=True), openai.BadRequestError, "n"),
                               (dict(messages=[]), openai.BadRequestError, "messages")):
        try:
            ai.chat.completions.create(**{"model": "local", "messages": hello, **wrong})
            raise AssertionError(f"{wrong} was taken")
        except kind as fault:
            assert fault.param == param and fault.type == "invalid_request_error", fault.body

with client("sk_nobodys") as nobody:
    try:
        nobody.models.list()
        raise AssertionError("nobody was let in")
    except openai.AuthenticationError as fault:
        assert fault.code == "UNAUTHORIZED" and fault.type == "authentication_error", fault.body
print("all answers were right")
