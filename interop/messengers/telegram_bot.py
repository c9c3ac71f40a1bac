"""A conversation by Telegram, with python-telegram-bot beside us: it reads what we are sent, and both talk to one bot platform."""

import asyncio
import json
import time
import uuid

import world
from telegram import Bot, InlineKeyboardMarkup, Update
from telegram.constants import ChatAction
from telegram.error import BadRequest, Forbidden, RetryAfter

NUMBER = uuid.uuid4().int
ID, PERSON, SECRET = str(NUMBER % 10**9 + 10**9), NUMBER % 10**8 + 10**8, "a-word_of_the-peer"
TOKEN = ID + ":AAF-peer_" + uuid.uuid4().hex


def request(m):
    """What a message was asked for by: a form says in words what JSON says."""
    of = dict(m["request"])
    if isinstance(of.get("reply_markup"), str):
        of["reply_markup"] = json.loads(of["reply_markup"])
    return {**of, "chat_id": str(of["chat_id"])}


world.connect("telegram", ID, {"botToken": TOKEN, "secretToken": SECRET})


async def talk():
    async with Bot(TOKEN, base_url=f"{world.RECORDER}/telegram/bot") as bot:
        assert str(bot.id) == ID
        person = {"id": PERSON, "is_bot": False, "first_name": "Ann", "language_code": "en"}
        chat = {"id": PERSON, "type": "private", "first_name": "Ann"}
        updates = iter(range(1, 99))

        def tell(secret=SECRET, **what):
            """Has us told of something; their library reads it."""
            update = {"update_id": next(updates), **what}
            status, _ = world.ask(f"{world.URL}/api/v1/channels/telegram/webhook/{ID}", update, X_Telegram_Bot_Api_Secret_Token=secret)
            return Update.de_json(update, bot), status

        def message(text, **more):
            return {"message": {"message_id": 100 + len(text), "date": int(time.time()), "chat": chat, "from": person, "text": text, **more}}

        assert tell("another", **message("Believe me"))[1] == 401 and tell("", **message("Believe me"))[1] == 401
        edited = {"edited_message": {**message("Edited")["message"], "edit_date": int(time.time())}}
        assert tell(**edited)[1] == 200 and tell(channel_post=message("Post")["message"])[1] == 200
        for text, want in (("Hello", 2), ("It is about my meter", 3)):
            read, status = tell(**message(text))
            assert status == 200 and read.effective_message.text == text and read.effective_user.id == PERSON
            shown = world.sent("telegram", PERSON, want)[-1]
        rows = InlineKeyboardMarkup.de_json(request(shown)["reply_markup"], bot).inline_keyboard
        gas = next(button for row in rows for button in row if button.text == "Gas")
        read, status = tell(callback_query={"id": "7", "from": person, "chat_instance": "1", "data": gas.callback_data, "message": {
            "message_id": int(shown["id"]), "date": int(time.time()), "chat": chat, "text": shown["text"]}})
        assert status == 200 and read.callback_query.data == gas.callback_data
        messages = world.sent("telegram", PERSON, 4)

        # Their requests are ours, and the platform answers them as they know it.
        for n, m in enumerate(messages):
            ours = request(m)
            markup = InlineKeyboardMarkup.de_json(ours["reply_markup"], bot) if "reply_markup" in ours else None
            taken = await bot.send_message(ours["chat_id"], ours["text"], parse_mode=ours.get("parse_mode"), reply_markup=markup)
            theirs = world.sent("telegram", PERSON, len(messages) + n + 1)[-1]
            assert request(theirs) == ours and str(taken.message_id) == theirs["id"] and taken.chat.id == PERSON, (theirs, m)
        assert await bot.send_chat_action(PERSON, ChatAction.TYPING) and await bot.answer_callback_query("7")
        for does, error in (("busy", RetryAfter), ("refuses", Forbidden)):
            world.ask(world.RECORDER + "/faults", {"channelType": "telegram", "to": str(PERSON), "does": does, "times": 1,
                                                   "pauseSeconds": 3})
            try:
                await bot.send_message(PERSON, "in trouble")
                raise SystemExit(f"{does} was not told")
            except error as told:
                assert does != "busy" or int(told.retry_after) == 3, told
        try:
            await bot.send_message(PERSON, "x" * 4097)
            raise SystemExit("too long a text was taken")
        except BadRequest as told:
            assert "too long" in told.message, told
        return messages


print(world.shown(asyncio.run(talk())))
