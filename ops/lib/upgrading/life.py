"""What devices append: kinds of event that every release knows."""

CHAT, MAIL = "com.example.chat", "com.example.mail"


def set_up(app):
    """The app, and its leave to notify and to tell the Focus."""
    return [
        {"type": "app.registered", "app": app,
         "payload": {"name": app, "build": 1, "capabilities": ["COMMUNICATION", "TIME_SENSITIVE"],
                     "focusStatusUsageDescription": "Shows friends that you are busy."}},
        *[{"type": "authorization.changed", "app": app, "payload": {"kind": kind, "status": "AUTHORIZED"}}
          for kind in ("NOTIFICATIONS", "FOCUS_STATUS")]]


def posted(name, app, level="ACTIVE"):
    return {"type": "notification.posted", "app": app,
            "payload": {"notificationId": name, "title": name, "body": "What is there to say?", "level": level}}


class Phone:
    """The system of a phone: Focuses, mutes, preferences, and what apps post there."""

    def __init__(self):
        self.turn = -1

    def next(self):
        self.turn += 1
        turn = self.turn
        if turn == 0:
            return [*set_up(CHAT), *set_up(MAIL), {
                "type": "focus.configured",
                "payload": {"focusId": "work", "name": "Work", "allowsTimeSensitive": True, "sharesStatus": True,
                            "allowedApps": [MAIL]}}]
        name = f"p{turn % 40}"
        step = turn % 12
        if step in (3, 9):
            return [{"type": "focus.changed", "payload": {"focusId": "work", "isActive": step == 3}}]
        if step == 5:
            return [{"type": "notification.read", "app": CHAT, "payload": {"ids": [f"p{(turn - 4) % 40}"]}}]
        if step == 7:
            return [{"type": "preference.changed", "app": CHAT,
                     "payload": {"key": f"k{turn % 9}", "value": {"integer": str(turn)}}}]
        if step == 10:
            return [{"type": "app.muted", "app": MAIL, "payload": {"untilUs": "9000000000000000"}}]
        if step == 11:
            return [{"type": "app.unmuted", "app": MAIL}]
        return [posted(name, MAIL if step % 2 else CHAT, "TIME_SENSITIVE" if step == 8 else "ACTIVE")]


class Watch:
    """The system of a watch: what is read there, and what arrives there."""

    def __init__(self):
        self.turn = -1

    def next(self):
        self.turn += 1
        if self.turn % 3 == 0:
            return [{"type": "notification.read", "app": CHAT, "payload": {"ids": [f"p{self.turn % 40}"]}}]
        return [posted(f"w{self.turn % 20}", CHAT)]


class Chat:
    """An app's own session."""

    def __init__(self):
        self.turn = -1

    def next(self):
        self.turn += 1
        return [posted(f"c{self.turn % 30}", CHAT)]


class Newcomer:
    """A device that registers its app."""

    def next(self):
        return set_up(CHAT)
