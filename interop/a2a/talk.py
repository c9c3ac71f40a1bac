"""The protocol's own SDK for Python, both ways: as a client of an agent of Parley, in 1.0 and in 0.3, and as the server of
an agent that ones of Parley delegate to and hand conversations to: python talk.py"""

import asyncio
import json
import os
import socket
import threading
from uuid import uuid4

import httpx
import uvicorn
import world
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import parse_agent_card
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as p
from a2a.utils.errors import TaskNotFoundError, UnsupportedOperationError
from starlette.applications import Starlette

TOKEN, PROJECT = os.environ["PARLEY_TOKEN"], world.PROJECT
NAME = "py_" + uuid4().hex[:8]


def deploy(sources, entry):
    return world.deploy(sources, entry, entry)["id"]


def message(text, **more):
    return p.SendMessageRequest(message=p.Message(message_id=str(uuid4()), role=p.ROLE_USER, parts=[p.Part(text=text)], **more))


ASKS = f"""DSL: 1
AGENT: {NAME}_asks
GATHER: {{kind: {{TYPE: enum, OPTIONS: [electricity, gas], PROMPT: "Which meter?"}}}}
ON_START: {{SAY: Good day.}}
FLOW: {{START: a, STEPS: {{a: {{GATHER: [kind], NEXT: b}}, b: {{SAY: "Thank you for the {{{{ gather.kind }}}}.", END: true}}}}}}
"""


async def last(client, request):
    """The task as it is when nothing more comes of it, and the texts that were told."""
    task, texts = None, []
    async for event in client.send_message(request):
        kind = event.WhichOneof("payload")
        if kind == "task":
            task = event.task
            texts += [part.text for artifact in task.artifacts for part in artifact.parts]
        elif kind == "artifact_update":
            texts += [part.text for part in event.artifact_update.artifact.parts]
        elif kind == "status_update":
            task.status.CopyFrom(event.status_update.status)
    return task, texts


async def as_client(address):
    card = json.loads(world.ask(address + "/.well-known/agent-card.json")[1])
    older = {k: v for k, v in card.items() if k != "supportedInterfaces"}
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as http:
        for which, version in ((card, "1.0"), (older, "0.3.0")):
            parsed = parse_agent_card(json.loads(json.dumps(which)))
            assert parsed.supported_interfaces[0].protocol_version == version, parsed
            for streaming in (False, True):
                client = ClientFactory(ClientConfig(httpx_client=http, streaming=streaming)).create(parsed)
                task, texts = await last(client, message("Hello"))
                assert task.status.state == p.TASK_STATE_INPUT_REQUIRED, task
                assert texts == ["Good day.", "Which meter?"], texts
                same = await client.get_task(p.GetTaskRequest(id=task.id))
                assert same.context_id == task.context_id and same.history, same
                done, texts = await last(client, message("gas", task_id=task.id, context_id=task.context_id))
                assert done.id == task.id and done.status.state == p.TASK_STATE_COMPLETED, done
                assert texts[-1] == "Thank you for the gas.", texts
                try:
                    await last(client, message("more", task_id=task.id, context_id=task.context_id))
                    raise AssertionError("a task that has ended was continued")
                except UnsupportedOperationError:
                    pass
                try:
                    await client.get_task(p.GetTaskRequest(id="nothing"))
                    raise AssertionError("there is no such task")
                except TaskNotFoundError:
                    pass
                other, _ = await last(client, message("Hello"))
                gone = await client.cancel_task(p.CancelTaskRequest(id=other.id))
                assert gone.status.state == p.TASK_STATE_CANCELED, gone


class Desk(AgentExecutor):
    """Asks for a seat, then books it; of delegates it takes the data that came along."""

    heard = []

    async def execute(self, context, event_queue):
        self.heard.append(context.message)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if not context.current_task:
            await event_queue.enqueue_event(p.Task(id=context.task_id, context_id=context.context_id,
                                                   status=p.TaskStatus(state=p.TASK_STATE_SUBMITTED), history=[context.message]))
        await updater.start_work()
        text = context.get_user_input()
        if text == "a seat":
            await updater.requires_input(updater.new_agent_message([p.Part(text="Window or aisle?")]))
            return
        await updater.add_artifact([p.Part(text=f"Booked: {text}")], name="booking")
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def serve_desk():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    address = f"http://127.0.0.1:{port}/a2a"
    card = p.AgentCard(name="Desk", description="Books seats", version="1", capabilities=p.AgentCapabilities(streaming=True),
                       default_input_modes=["text/plain"], default_output_modes=["text/plain"],
                       supported_interfaces=[p.AgentInterface(url=address, protocol_binding="JSONRPC", protocol_version="1.0")],
                       skills=[p.AgentSkill(id="book", name="book", description="Books", tags=["seats"])])
    handler = DefaultRequestHandler(agent_executor=Desk(), task_store=InMemoryTaskStore(), agent_card=card)
    routes = create_agent_card_routes(card) + create_jsonrpc_routes(handler, "/a2a", enable_v0_3_compat=True)
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=port, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        pass
    return address


def as_server():
    address = serve_desk()
    for version in ("1.0", "0.3"):
        tag = f"{NAME}_{version[0]}"
        desk = f'DSL: 1\nAGENT: {tag}_desk\nREMOTE: {{URL: "{address}", VERSION: "{version}"}}\n'
        deployment = deploy({f"{tag}_plan": f"""DSL: 1
AGENT: {tag}_plan
DELEGATE: [{{ID: desk, AGENT: {tag}_desk, PURPOSE: "{{{{ turn.text }}}}", INPUT: {{to: "'Oslo'"}}, RETURNS: {{text: session.offer}}}}]
FLOW: {{START: a, STEPS: {{a: {{DELEGATE: desk, NEXT: b}}, b: {{SAY: "{{{{ session.offer }}}}", END: true}}}}}}
""", f"{tag}_desk": desk}, f"{tag}_plan")
        said = world.parley("/api/v1/chat/agent", {"projectId": PROJECT, "deploymentId": deployment, "message": "row 12"})
        assert said["response"] == "Booked: row 12", said
        assert Desk.heard[-1].parts[1].data.struct_value["to"] == "Oslo", Desk.heard[-1]

        deployment = deploy({f"{tag}_front": f"""DSL: 1
AGENT: {tag}_front
HANDOFF: [{{TO: {tag}_seats, WHEN: turn.text == "a seat", REASON: Asked, RETURN: true, ON_RETURN: {{NEXT: back}}}}]
FLOW: {{START: a, STEPS: {{a: {{SAY: "What is it?"}}, back: {{SAY: "Anything else?"}}}}}}
""", f"{tag}_seats": desk.replace("_desk", "_seats")}, f"{tag}_front")
        first = world.parley("/api/v1/chat/agent", {"projectId": PROJECT, "deploymentId": deployment, "message": "Hello"})
        say = lambda text: world.parley("/api/v1/chat/agent", {"projectId": PROJECT, "sessionId": first["sessionId"], "message": text})
        said = say("a seat")
        assert said["response"] == "Window or aisle?", said
        asked = Desk.heard[-1]
        assert [line["content"] for line in dict(asked.metadata)["history"]] == ["Hello", "What is it?"], asked
        said = say("aisle")
        assert said["response"] == "Booked: aisle\nAnything else?", said
        assert Desk.heard[-1].task_id and Desk.heard[-1].context_id, Desk.heard[-1]


connection = world.parley(f"/api/projects/{PROJECT}/channel-connections", {
    "channelType": "a2a", "externalIdentifier": NAME, "deploymentId": deploy({f"{NAME}_asks": ASKS}, f"{NAME}_asks")})["connection"]
asyncio.run(as_client(connection["webhookUrl"]))
as_server()
print("both ways")
