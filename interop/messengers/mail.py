"""A conversation by mail: swaks brings it, aiosmtpd takes the answers, and dkimpy judges whether they are signed by who says so."""

import base64
import email
import email.policy
import json
import socket
import subprocess
import sys
import uuid

import dkim
import world
from aiosmtpd.controller import Controller
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

DOOR = sys.argv[1]
BOX, PERSON = f"support{uuid.uuid4().hex[:8]}@acme.example", "ann@[127.0.0.1]"
key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
took = []


class Host:
    async def handle_DATA(self, server, session, envelope):
        took.append(envelope)
        return "250 taken"


with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
host = Controller(Host(), hostname="127.0.0.1", port=port, ready_timeout=30)
host.start()
world.connect("email", BOX, {"smtpHost": "127.0.0.1", "smtpPort": str(port), "dkimKey": pem, "dkimSelector": "peer"})


def bring(body, *headers, to=BOX, sender=PERSON):
    """Whether swaks could hand a mail over."""
    args = ["swaks", "--server", DOOR, "--from", sender, "--to", to, "--h-From", f"Ann Lee <{PERSON}>", "--h-To", to, "--body", body,
            "--helo", "[127.0.0.1]", "--hide-all", "--timeout", "60"]
    for header in headers:
        args += ["--header", header]
    return subprocess.run(args).returncode == 0


def answers(want):
    return [(e, email.message_from_bytes(e.content, policy=email.policy.default)) for e in world.awaited(want, lambda: took)]


assert not bring("Hi", to="nobody@acme.example")
assert not bring("I am away", "Auto-Submitted: auto-replied") and not bring("It bounced", sender="<>")
first = f"<{uuid.uuid4().hex}@mail.example>"
for _ in range(2):  # brought twice, it is one mail
    assert bring("Hello", f"Message-Id: {first}", "Subject: =?utf-8?q?Z=C3=A4hler?=")
envelope, shown = answers(2)[-1]
assert (envelope.mail_from, envelope.rcpt_tos) == (BOX, [PERSON]), envelope
assert shown["Subject"] == "Re: Zähler" and shown["In-Reply-To"] == first and shown["Auto-Submitted"] == "auto-replied", shown.items()
assert bring("It is about my meter\n\nOn Monday Acme wrote:\n> Is it about a meter?", f"Message-Id: <{uuid.uuid4().hex}@mail.example>",
             f"In-Reply-To: {shown['Message-ID']}", f"References: {first} {shown['Message-ID']}", "Subject: Re: Zähler")
mails = answers(3)
assert bring("2", f"Message-Id: <{uuid.uuid4().hex}@mail.example>", to=str(mails[-1][1]["Reply-To"].addresses[0].addr_spec))
mails = answers(4)


def record(name, timeout=5):
    assert name in (b"peer._domainkey.acme.example.", "peer._domainkey.acme.example."), name
    return b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


for envelope, mail in mails:
    content = envelope.content
    assert dkim.verify(content, dnsfunc=record) and not dkim.verify(content.replace(b"To: <ann@", b"To: <eve@"), dnsfunc=record)
    assert not dkim.verify(content.rstrip() + b" and more\r\n", dnsfunc=record)
    assert first in mail["References"] or mail["In-Reply-To"] != first, mail.items()
host.stop()
print(json.dumps([mail.get_content().strip() for _, mail in mails]))
