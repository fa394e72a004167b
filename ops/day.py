#!/usr/bin/env python3
"""Plays a day of one user on a running server, and tells what each device and app saw, when, and why.

Called by ops/run. Everything goes through focusctl, as anybody could do it by hand.
Usage: day.py FOCUSCTL SERVER DATA_DIR WORK_DIR
"""
import atexit
import json
import os
import subprocess
import sys
import threading
import time

FOCUSCTL, SERVER, DATA_DIR, WORK = sys.argv[1:5]
USER = "0a11ce00-0000-4000-8000-000000000001"
PHONE = "0a11ce00-0000-4000-8000-0000000000f0"
WATCH = "0a11ce00-0000-4000-8000-0000000000f1"
DESKTOP = "0a11ce00-0000-4000-8000-0000000000f2"
CHAT, MAIL = "com.example.chat", "com.example.mail"
NAMES = {CHAT: "Chat", MAIL: "Mail"}
WHY = {
    "ORDINARY": "nothing stands in its way",
    "FOCUS": "a Focus is on that lets neither this app nor this level through",
    "PASSIVE": "its level is passive: list only",
    "TIME_SENSITIVE": "it is time sensitive, and the Focus lets those through",
    "ALLOWED_APP": "the Focus lets this app through",
    "CRITICAL": "critical breaks through everything",
    "ALLOWED_PERSON": "the Focus lets its sender through",
    "SCHEDULED_DELIVERY": "its app is in the scheduled summary",
    "SUMMARY": "the summary is here",
    "IN_FRONT": "its app is in front, and is told instead",
}


# Followers must not outlive a day that failed.
FOLLOWERS = []
atexit.register(lambda: [process.kill() for process in FOLLOWERS if process.poll() is None])


def token(device, scope, kind=None):
    command = [FOCUSCTL, "token", "--user", USER, "--device", device, "--data-dir", DATA_DIR, "--expires", "1d", *scope]
    return subprocess.run(command + (["--class", kind] if kind else []), check=True, capture_output=True, text=True).stdout.strip()


class Viewer:
    """Somebody who looks: `focusctl sync --follow`, line by line."""

    def __init__(self, name, device, scope, kind, *more):
        self.name, self.device, self.version, self.news = name, device, -1, []
        self.waiting = {}  # Of an app: what was done with its notifications, and it has not handled yet.
        self.token, self.is_app = token(device, scope, kind), "--app" in scope
        self.changed = threading.Condition()
        self.process = subprocess.Popen(
            [FOCUSCTL, "sync", "--follow", "--json", "--plaintext", "--server", SERVER, "--state", f"{WORK}/{name}",
             "--token", self.token, *more],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        FOLLOWERS.append(self.process)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            row, now = json.loads(line), time.monotonic()
            with self.changed:
                if row["change"] == "verified":
                    self.version = row["version"]
                else:
                    self.news.append((now, row))
                    if row["collection"] == "waiting_actions":
                        self.waiting.pop(row["key"], None)
                        if row["change"] != "removed":
                            self.waiting[row["key"]] = row["value"]
                self.changed.notify_all()

    def head(self):
        """The version that whoever connects now is shown."""
        done = subprocess.run(
            [FOCUSCTL, "sync", "--json", "--plaintext", "--server", SERVER, "--state", f"{WORK}/{self.name}-beside",
             "--token", self.token], check=True, capture_output=True, text=True)
        return json.loads(done.stdout.splitlines()[-1])["version"]

    def take(self, version, deadline=120):
        """What came until the digests confirmed the user's `version`."""
        if self.is_app:  # An app counts what it was shown, and nothing else.
            version = self.head()
        with self.changed:
            if not self.changed.wait_for(lambda: self.version >= version, deadline):
                sys.exit(f"{self.name} did not get version {version} within {deadline} s")
            news, self.news = self.news, []
            return news

    def stop(self):
        self.process.terminate()
        return self.process.wait()


class Author:
    """Somebody who appends: `focusctl append`."""

    def __init__(self, name, device, scope, kind=None):
        self.is_app = "--app" in scope
        self.arguments = ["--plaintext", "--server", SERVER, "--state", f"{WORK}/{name}-agent", "--token",
                          token(device, scope, kind)]

    def append(self, *events):
        lines = "".join(json.dumps(event) + "\n" for event in events)
        done = subprocess.run([FOCUSCTL, "append", *self.arguments], input=lines, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"append failed: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()], time.monotonic()

    def import_route(self, file):
        done = subprocess.run(
            [FOCUSCTL, "import", "gpx", file, "--app", CHAT, "--activity", "running", "--utc-offset", "+02:00", "--json",
             *self.arguments], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"import failed: {done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])


def event(event_type, app=None, **payload):
    return {"type": event_type, **({"app": app} if app else {}), "payload": payload}


def post(app, key, title, body, level="ACTIVE"):
    return event("notification.posted", app, notificationId=key, title=title, body=body, level=level)


def message(key, interaction, body):
    """What Chat does when somebody writes: it donates the interaction, then posts a notification that names it."""
    anna = {"handle": "anna@example.com", "displayName": "Anna"}
    donated = {"conversationId": "c1", "sender": anna}
    return [event("interaction.donated", CHAT, interactionId=interaction, direction="INCOMING", sendMessage=donated,
                  startedAtUs=str(int(time.time() * 1e6))),
            event("notification.posted", CHAT, notificationId=key, body=body, interactionId=interaction)]


def rings(value, device):
    """Where an alert that rings does so: first on the device in use, and elsewhere if nobody has read it there."""
    first = value.get("firstDevice")
    if first is None or first == device:
        return "rings"
    if value.get("othersRing"):
        return "rings here too, as nobody has read it in 30 s"
    return "rings on the device in use, and not here"


def tell(row, device):
    """A row in words, on this device; None for rows that only programs care about."""
    app, key, value = NAMES.get(row.get("app"), row.get("app")), row["key"], row.get("value") or {}
    gone = row["change"] == "removed"
    kind = row["collection"]
    if kind == "alerts" and not gone:
        why = WHY.get(value["reason"], value["reason"])
        what = {"NOW": rings(value, device), "NONE": "stays silent", "HELD_BY_FOCUS": "waits", "HELD_FOR_SUMMARY": "waits for the summary"}
        silent = ", even with the ring switch on silent" if value.get("overridesSilentSwitch") else ""
        return f"{app} “{key}” {what[value['alert']]}{silent}: {why}"
    if kind == "badges":
        return f"{app}'s badge is {value['count'] if 'count' in value else 'hidden'}" if not gone else f"{app} has no badge"
    if kind == "notifications":
        if gone:
            return f"{app} “{key}” left the list"
        return None if row["change"] == "added" else f"{app} “{key}” is {'unread' if value.get('unread') else 'read'}"
    if kind == "active_focus":
        return "no Focus is on" if gone else f"the Focus “{value['focusId']}” is on"
    if kind == "focus_visibility":
        status = {True: "focused", False: "not focused", None: "unavailable"}[value.get("isFocused")]
        return f"to {app}, the user appears {status}"
    if kind == "preferences":
        return f"{app}'s {key} is {next(iter(value['value'].values()))}" if not gone else f"{app} has no {key}"
    if kind == "suggestions" and not gone and not row.get("app"):
        return f"{key} is suggested for breaking through a Focus: {value.get('outgoing', 0)} written, {value.get('incoming', 0)} received"
    if kind == "waiting_actions":
        if gone:
            return f"{app} has handled it"
        text = f", “{value['text']}”" if "text" in value else ""
        return f"{app} hears what was done with “{value['notificationId']}”: {value['action']}{text}"
    if kind == "refusals" and not gone:
        return f"refused ({value['code']}): {value['message']}"
    if kind == "routes" and not gone and value.get("workoutId"):
        sums = value["aggregates"]
        minutes = int(sums["durationUs"]) / 60e6
        return (f"{app} has a finished route: {sums['distanceM'] / 1000:.2f} km in {minutes:.0f} min, "
                f"{sums.get('elevationGainM', 0):.0f} m up, from {sums['counts']['accepted']} points")
    return None


def next_minute():
    """The next full minute that is some seconds away, since 1970."""
    return (int(time.time() + 5) // 60 + 1) * 60


def explain(key):
    """Why an alert came out as it did, as anybody may ask at any time."""
    command = ["explain", "--user", USER, "--app", CHAT, "--notification", key, "--data-dir", DATA_DIR]
    done = subprocess.run([FOCUSCTL, *command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"explain failed: {done.stderr}")
    print(f"\nWhy? focusctl {' '.join(command[:-2])}")
    for line in done.stdout.splitlines()[:2]:
        print(f"       {line}")


def play():
    phone, watch_agent = Author("phone", PHONE, ["--system"], "phone"), Author("watch", WATCH, ["--system"], "watch")
    chat = Author("chat", PHONE, ["--app", CHAT])
    viewers = [
        Viewer("phone", PHONE, ["--system"], "phone"), Viewer("watch", WATCH, ["--system"], "watch"),
        Viewer("Chat", PHONE, ["--app", CHAT], "phone"), Viewer("Mail", PHONE, ["--app", MAIL], "phone"),
    ]
    delays = []

    def step(clock, what, author, *events, quiet=False):
        outcomes, acknowledged = author.append(*events)
        version = viewers[0].head() if author.is_app else outcomes[-1]["version"]
        report(clock, what, version, acknowledged, quiet)

    def report(clock, what, version, acknowledged=None, quiet=False, deadline=120):
        print(f"\n{clock}  {what}   [version {version}]")
        for viewer in viewers:
            news = viewer.take(version, deadline)
            if acknowledged:
                delays.extend((at - acknowledged) * 1000 for at, _ in news)
            latest = {}
            for _, row in news:
                words = tell(row, viewer.device)
                if words:
                    latest[(row["collection"], row.get("app"), row["key"])] = words
            for words in () if quiet else latest.values():
                print(f"       {viewer.name:<6} {words}")

    print("One user, Alice: a phone, a watch, and two apps, Chat and Mail, on the phone. Each of the four sees only what")
    print("it may: the devices everything, an app its own rows. All of it comes from the log; nobody polls.")
    allow = lambda app, kind: event("authorization.changed", app, kind=kind, status="AUTHORIZED")
    register = lambda app, build: event(
        "app.registered", app, name=NAMES[app], build=build, declaredIntents=["SEND_MESSAGE"],
        capabilities=["COMMUNICATION", "TIME_SENSITIVE", "CRITICAL", "SIRI_KIT"],
        focusStatusUsageDescription="To tell your friends that you are busy.")
    step("07:00", "The phone registers both apps; Alice allows them to notify and to see her Focus.", phone,
         *[e for app in (CHAT, MAIL) for e in (register(app, 1), allow(app, "NOTIFICATIONS"), allow(app, "FOCUS_STATUS"))])
    step("08:12", "Chat: “Lunch?”, an ordinary notification.", chat, post(CHAT, "Lunch?", "Bob", "Lunch?"))
    step("08:40", "Alice writes to Anna in Chat, which donates that.", chat,
         event("interaction.donated", CHAT, interactionId="i0", direction="OUTGOING", startedAtUs=str(int(time.time() * 1e6)),
               sendMessage={"conversationId": "c1", "recipients": [{"handle": "anna@example.com", "displayName": "Anna"}]}))
    step("09:00", "Alice turns on Work. It lets Mail through, Anna, and whatever is time sensitive.", phone,
         event("focus.configured", focusId="work", name="Work", allowedApps=[MAIL], allowedPeople=["anna@example.com"],
               allowsTimeSensitive=True, sharesStatus=True),
         event("focus.changed", focusId="work", isActive=True))
    step("09:30", "Five notifications while Work is on: every level, and one of an allowed app.", phone,
         post(CHAT, "Cat photo", "Bob", "Look!", "PASSIVE"), post(CHAT, "Football?", "Bob", "Tonight?"),
         post(CHAT, "Your ride is here", "Taxi", "Plate B-1234", "TIME_SENSITIVE"),
         post(MAIL, "Offer", "Carol", "The offer, signed"), post(MAIL, "Smoke alarm", "Home", "Smoke in the kitchen", "CRITICAL"))
    step("09:40", "Anna writes in Chat; Work lets her through.", chat, *message("From Anna", "i1", "Are you in?"))
    explain("Football?")
    step("10:05", "Alice reads “Lunch?” on the watch; the phone's badge follows.", watch_agent,
         event("notification.read", CHAT, ids=["Lunch?"]))
    step("10:06", "Chat tries to post as Mail. An app may append only what is its own.", chat,
         post(MAIL, "Fake", "Mail", "Not from Mail"))
    step("12:00", "Alice turns Work off: what waited rings.", phone,
         event("focus.changed", focusId="work", isActive=False))
    actions = [{"id": "snooze", "title": "Snooze"}, {"id": "reply", "title": "Reply", "textInput": True}]
    step("12:30", "Chat says what can be done with its messages, and wants to hear of it. Then it goes to sleep.", chat,
         event("categories.registered", CHAT, categories=[{"id": "message", "actions": actions}]), event("action.handled", CHAT))
    if viewers.pop(2).stop():
        sys.exit("Chat's follower failed")
    written = lambda key, body: event("notification.posted", CHAT, notificationId=key, title="Bob", body=body, category="message")
    step("12:35", "Bob writes twice.", phone, written("Standup?", "Standup at two?"), written("Pizza?", "Pizza tonight?"))
    perform = lambda key, **what: event("notification.actionPerformed", CHAT, id=key, **what)
    step("12:36", "Alice snoozes one on the watch …", watch_agent, perform("Standup?", action="snooze"))
    step("12:37", "… and answers the other on the phone. Neither device learns what she typed for Chat.", phone,
         perform("Pizza?", action="reply", text="With olives"), event("notification.removed", CHAT, ids=["Pizza?"]))
    viewers.insert(2, Viewer("Chat", PHONE, ["--app", CHAT], "phone"))
    report("12:50", "Chat wakes up, and finds both, in order.", viewers[0].version)
    waiting = sorted(viewers[2].waiting.items(), key=lambda entry: int(entry[1]["number"]))
    found = [(value["action"], value.get("text")) for _, value in waiting]
    if found != [("snooze", None), ("reply", "With olives")]:
        sys.exit(f"Chat was told {found}")
    step("12:51", "It does both, and says so.", chat, *[event("action.handled", CHAT, action=key) for key, _ in waiting])
    if viewers.pop(2).stop():
        sys.exit("Chat's follower failed")
    step("12:52", "Chat sleeps again, and Alice snoozes once more.", phone,
         perform("Standup?", action="snooze"))
    viewers.insert(2, Viewer("Chat", PHONE, ["--app", CHAT], "phone"))
    report("12:55", "Chat wakes once more: what it has handled does not come again, what is new does.", viewers[0].version)
    again = list(viewers[2].waiting)
    if len(again) != 1 or again[0] in dict(waiting):
        sys.exit(f"Chat was told {again} after it had handled {list(dict(waiting))}")
    step("12:56", "It does that too.", chat, event("action.handled", CHAT, action=again[0]))
    viewers.append(Viewer("desktop", DESKTOP, ["--system"], "desktop", "--in-use"))
    version = viewers[0].version + 1
    report("14:00", "Alice sits down at her desktop, which says so; the server notes that, on its own.", version, quiet=True)
    step("14:05", "Bob writes. It rings where Alice is.", chat, post(CHAT, "Report?", "Bob", "Is the report done?"))
    step("14:06", "She reads it there, so it rings nowhere else.", phone, event("notification.read", CHAT, ids=["Report?"]))
    step("14:20", "Bob writes again, and Alice has left the desktop on.", chat, post(CHAT, "Coffee?", "Bob", "Coffee?"))
    print("\n       (In 30 s it rings elsewhere, if nobody reads it: the server waits for that, and so do we.)")
    report("14:20", "Half a minute later the server appends that it rings elsewhere.", viewers[0].version + 1)
    desktop = viewers.pop()
    if desktop.stop():
        sys.exit("the desktop's follower failed")
    report("15:00", "She shuts the desktop down: it is not in use any more.", viewers[0].version + 1, quiet=True)
    step("16:25", "Alice lets Chat record her run.", phone,
         *[allow(CHAT, kind) for kind in ("LOCATION", "SHARE_WORKOUTS", "SHARE_ROUTES", "READ_WORKOUTS", "READ_ROUTES")],
         quiet=True)
    route = phone.import_route(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sample-route.gpx"))
    report("16:30", "She runs around the lake; Chat records the route.", route["version"], time.monotonic())
    step("17:30", "She sets Chat's text size on the phone; the watch follows.", phone,
         event("preference.changed", CHAT, key="textSize", value={"integer": "18"}))
    step("17:40", "She turns Chat's badge off on the phone; the watch has no setting of its own and follows.", phone,
         event("notificationSettings.changed", CHAT, badges="OFF"))
    step("17:41", "And on again: the count went on underneath.", phone,
         event("notificationSettings.changed", CHAT, badges="ON"))
    step("18:00", "She opens Chat: its badge is cleared, and its list with it.", phone, event("badge.cleared", CHAT))

    due = next_minute()
    step("19:00", "Mail goes into the daily summary, and posts.", phone,
         event("notificationSettings.changed", MAIL, scheduledDelivery="ON"),
         event("deliverySchedule.changed", times=[due // 60 % 1440], timeZone="UTC"),
         post(MAIL, "Newsletter", "Shop", "Ten new things"))
    seconds = due - time.time()
    print(f"\n       (The summary is due at the next full minute, in {seconds:.0f} s: the server waits for it, and so do we.)")
    report(time.strftime("%H:%M", time.gmtime(due)), "The summary is due; the server appends that, on its own.",
           viewers[0].version + 1, deadline=seconds + 120)

    print(f"\n{len(delays)} row changes reached the followers, the last of each step at most {max(0, *delays):.0f} ms after the appending")
    print("command had ended. After each step every follower compared the digests of its rows with the server's: all agreed.")
    codes = [viewer.stop() for viewer in viewers]
    if any(codes):
        sys.exit(f"a follower failed: exit codes {codes}")


play()
