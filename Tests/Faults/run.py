"""One run of a scenario: what was called, what was answered, and what must hold once the fault is gone."""
import dataclasses
import json
import os
import re
import shutil
import signal
import time

from world import PATIENCE, Backend, Died, Host, Hung

SHUTDOWN = 1.5
"""How long a host takes at most to end beside another one, in seconds."""

SLOW = {"retryDelayMs": 600_000, "cooldownMs": 600_000, "maxCooldownMs": 600_000}
QUICK = {"retryDelayMs": 10, "cooldownMs": 20, "maxCooldownMs": 40}


FORMS = {
    "": ("init", "eventName", "attributes", "profileData"),
    "analytics.": ("analytics.initialize", "event", "properties", "traits"),
    "basic.": ("basic.initialize", "event", "properties", "traits"),
}
"""Of each client its methods' prefix: how it is initialized, and how it calls what a call is about."""


@dataclasses.dataclass
class Call:
    """A tracking call, or one that ends an era: a reset, a denial or one that forgets the user."""

    method: str
    params: object
    message: str
    era: int
    outcome: str = "unanswered"  # accepted, refused, failed, or done of one that ends an era
    made: float = 0.0
    time: float = 0.0
    isRepeated: bool = False
    isRefused: bool = False  # by the server, until it is mended
    isRemoved: bool = False  # from what it has refused

    @property
    def isBoundary(self):
        return self.method in ("reset", "setConsent", "analytics.reset", "analytics.forget")

    @property
    def erases(self):
        """Whether nothing of before may be in any file."""
        return self.method in ("setConsent", "analytics.forget") or self.method == "reset" and "all" in self.params

    @property
    def drops(self):
        return self.erases or self.method == "analytics.reset"


def allowance(name):
    """How much more of something is none of the fault's doing: connections, and threads that serve everybody.

    Dispatch names its threads by their class of work (qos), and keeps them for a while. The loops of clients are threads
    with a name of their own: one more of those is a loop that was left behind.

    SQLite keeps a descriptor of the database for its next use, while another connection of the process has a lock on the
    file; if its `stat` fails, it does not find it again.
    """
    if name == "/tracker.sqlite3":
        return 1
    return 2 if name == "socket" else 64 if "qos" in name else 0


class Ended(Exception):
    """The host was killed, as planned: the scenario ends here."""


class Run:
    """Drives hosts through a scenario, and asks the invariants."""

    def __init__(self, folder, program, backend, page, template=None, normal=None):
        self.folder, self.state = folder, folder / "state"
        self._program, self._backend, self._page = program, backend, page
        self.calls, self.findings, self.hosts = [], [], []
        self.tag = os.urandom(4).hex()
        self.client, self.config, self.silent = "", dict(QUICK), []
        self.consent = self.firstConsent = "granted"
        self.hasSession, self.mayLose, self.lost = False, False, 0
        self.normal, self.after = normal or {}, {}
        self.host = self.second = None
        self._wantsSecond, self.isReady = False, True
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        backend.clear()
        if template:
            shutil.copytree(template.state, self.state)
            self.calls = [dataclasses.replace(call) for call in template.calls]
            self.tag, self.client = template.tag, template.client
            self.hasSession, self.mayLose = template.hasSession, template.mayLose
            backend.restore(template.answered)
        self.era = max((call.era for call in self.calls), default=0)

    # What scenarios do

    def mark(self, era=None):
        """A text that everything of an era has, and nothing else."""
        return f"mark{self.era if era is None else era}x{self.tag}"

    def start(self, isFaulty=True, needed=True):
        """A host on the folder, with its tracker initialized."""
        before = len(self._backend.requests)
        host = self._launch(isFaulty)
        if isFaulty:
            self.host = host
        else:
            self.second = host
        self.initialize(host, needed)
        if self._backend.isDown and self.calls:
            # Until it has met the server once, and waits.
            deadline = time.monotonic() + (10 if isFaulty else 1)
            while len(self._backend.requests) == before and time.monotonic() < deadline:
                time.sleep(0.001)
        return host

    def _launch(self, isFaulty):
        host = Host(self._program, self.folder / "log", isFaulty)
        self.hosts.append(host)
        return host

    def initialize(self, host=None, needed=True, inBackground=False):
        host = host or self.host
        url, key = "http://backend.test", "key-12345678"
        delivery = {"proxy": self._backend.proxy, "allowInsecureHTTP": True, "jitter": 0, "requestTimeoutMs": 5000,
                    "compression": "none", **self.config}
        session = {"initTimeoutMs": 5000, "sessionCreation": "inBackground" if inBackground else "duringInit"}
        answer = self._ask(host, FORMS[self.client][0], {
            "": {"brandId": "925", "config": {
                "apiUrl": url, "xApiKey": key, "consent": self.firstConsent, **session, **delivery}},
            "analytics.": {"options": {"ingestionHost": url, "writeKey": key, **delivery}},
            "basic.": {"apiKey": key, "endpoint": url, "options": delivery},
        }[self.client])
        isReady = "result" in answer
        self.failure = None if isReady else answer["error"]["message"]
        if host is self.host:
            self.isReady = isReady
        if needed and not isReady and not self._page.begun:
            self.findings.append(f"init failed: {self.failure}")

    def arm(self):
        """Faults begin here. A second host comes first, and makes a call."""
        if self._wantsSecond:
            self.start(isFaulty=False)
            self.track(self.second)
        if self.host:
            self._page.rest()
        self._page.arm()

    def down(self):
        """The server answers 503, and hosts wait for long."""
        self._backend.isDown = True
        self.config = dict(SLOW)

    def up(self):
        self._backend.isDown = False
        self.config = dict(QUICK)

    def track(self, host=None, word="event"):
        _, name, facts, _ = FORMS[self.client]
        return self._call("track", {name: f"{word} {self.mark()}", facts: {"call": len(self.calls)}}, host)

    def track_refused(self, host=None):
        """An event that the server refuses until it is mended."""
        call = self.track(host, Backend.REFUSED)
        call.isRefused = True
        return call

    def identify(self, host=None):
        facts = {"email": f"{self.mark()}@example.test", "call": len(self.calls)}
        return self._call("identify", {"userId": f"user-{self.mark()}", FORMS[self.client][3]: facts}, host)

    def reset(self, everything=False, host=None):
        return self._call("reset", {"all": True} if everything else {}, host)

    def deny(self, host=None):
        return self._call("setConsent", {"consent": "denied"}, host)

    def forget(self, host=None):
        """The user of this era is to be forgotten."""
        return self._call("forget", {"userId": f"user-{self.mark()}"}, host)

    def grant(self, host=None):
        self.silent[-1].append(time.monotonic())
        answer = self._ask(host or self.host, "setConsent", {"consent": "granted"})
        if "result" in answer:
            self.consent = "granted"
        return answer

    def withhold(self):
        """Consent is pending: nothing may be sent."""
        self.consent = self.firstConsent = "pending"
        self.silent.append([time.monotonic()])

    def flush(self, host=None, timeout=3000):
        return self._ask(host or self.host, self.client + "flush", {"timeoutMs": timeout}, PATIENCE + timeout / 1000)

    def stop(self, host=None):
        """Ends a host as a client does."""
        host, began, isAnswered = host or self.host, time.monotonic(), True
        try:
            host.call("host.shutdown")
        except Died:
            isAnswered = False
        except Hung as hang:
            self.findings.append(str(hang))
            raise Ended from None
        # Once its time is over it ends without an answer. If that is short, it may have waited for a processor.
        isOver = self._wantsSecond and time.monotonic() - began > SHUTDOWN
        try:
            code = host.end()
        except Hung as hang:
            self.findings.append(str(hang))
            raise Ended from None
        if code == -signal.SIGKILL and self._page.begun:
            self._forget_failed()
            raise Ended
        if code != 0 or not (isAnswered or isOver):
            self.findings.append(f"{self._exit(code)} during host.shutdown")

    def mend(self):
        """The server takes what it has refused so far."""
        self._backend.isPicky = False

    def refused(self, host=None):
        """The calls that are listed as refused; none if the disk cannot be read."""
        events = self._ask(host or self.host, "refused.list").get("result", {}).get("events", [])
        known = {call.message: call for call in self.calls}
        found = [known.get(event["messageId"]) for event in events]
        if any(call is None or found.count(call) > 1 or not call.isRefused or call.isRemoved for call in found):
            self.findings.append(f"listed as refused: {[event['messageId'] for event in events]}")
        if any(event["status"] != 422 or event["attempts"] < 1 for event in events):
            self.findings.append(f"listed as refused with another answer: {events}")
        return [call for call in found if call]

    def retry(self, host=None, call=None):
        """Queues one refused event or all again. While the server is down, none of them comes back."""
        asked = {"filter": {"messageIds": [call.message]}} if call else {}
        answer = self._ask(host or self.host, "refused.retry", asked)
        if "result" in answer and self._backend.isDown:
            stay = [other for other in self.refused(host) if call in (None, other)]
            if stay:
                self.findings.append(f"refused.retry: {answer['result']}, and {len(stay)} are listed still")
        return answer

    def drop(self, call, host=None):
        """Removes one refused event for good."""
        # Also if the answer does not come, or is an error: the disk may have taken it.
        call.outcome = "removed"
        answer = self._ask(host or self.host, "refused.drop", {"filter": {"messageIds": [call.message]}})
        if "result" in answer:
            call.isRemoved = True
            if answer["result"]["dropped"] != 1 and not self._page.begun:
                self.findings.append(f"refused.drop: {answer}")
            self.refused(host)
        return answer

    def wake(self, host=None):
        """The server is said to be back."""
        self._ask(host or self.host, "networkDidChange")

    # Calls

    def _call(self, method, params, host=None):
        call = Call(self.client + method, params, f"call-{len(self.calls)}-{self.tag}", self.era)
        self.calls.append(call)
        self._make(call, host or self.host)
        return call


    def _make(self, call, host):
        """Makes a call, for the first time or again."""
        if call.isBoundary and call.outcome == "unanswered" and self.era == call.era:
            self.era += 1
        call.made = call.made or time.monotonic()
        # Twice is as once for it, without an id.
        id = {} if call.method == "analytics.forget" else {"messageId": call.message}
        answer = self._ask(host, call.method, {**call.params, **id})
        call.time = time.monotonic()
        if call.method == "analytics.reset":
            self.isReady = False
        if call.method == "setConsent":
            # Also if the disk did not take it.
            self.consent = "denied"
            self.silent.append([call.time])
        if "error" in answer:
            call.outcome = "failed"
        elif call.isBoundary:
            call.outcome = "done"
            self._expect_erased(call, "when it was answered")
        else:
            call.outcome = "refused" if answer["result"]["status"] == "dropped" else "accepted"

    def _ask(self, host, method, params=(), patience=PATIENCE):
        try:
            return host.call(method, params, patience)
        except Died:
            code = host.end()
            if code == -signal.SIGKILL and self._page.begun:
                self._forget_failed()
                raise Ended from None
            self.findings.append(f"{self._exit(code)} during {method}")
            raise Ended from None
        except Hung as hang:
            self.findings.append(str(hang))
            raise Ended from None

    def _forget_failed(self):
        """What a killed host could not write is not done, and is made again."""
        for call in self.calls:
            if call.isBoundary and call.outcome == "failed":
                call.outcome, self.consent = "unanswered", "granted"
                self.silent = [span for span in self.silent if span[0] != call.time]

    def _exit(self, code):
        return f"the host ended by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"the host ended with code {code}"

    # Afterwards

    def perform(self, scenario, hasSecond=False):
        """Plays the scenario, and then asks what must hold."""
        self._wantsSecond = hasSecond
        try:
            scenario(self)
        except Ended:
            pass
        try:
            self._finish()
        except Ended:
            pass
        finally:
            for host in self.hosts:
                host.kill()
        self._judge()

    def _finish(self):
        self._page.rest()
        self._page.lift()
        self.counts = self._page.counts()
        self.reached = self._page.begun
        self.up()
        if self.host and self.host.isRunning:
            try:
                self._go_on()
            except Ended:
                pass
            self.host.kill()
        if self.second and self.second.isRunning:
            self.wake(self.second)
            self.flush(self.second)
            self.stop(self.second)
        self._restart()

    def _go_on(self):
        """The host works on, now that the fault is gone."""
        if not self.isReady:
            self.initialize(needed=False)
            if not self.isReady:
                self.findings.append(f"init fails although the fault is gone: {self.failure}")
        self.wake()
        if self.consent == "granted":
            self.track()
        self.flush()
        self.wake()
        self.flush()
        self._expect_balance(self.host)
        self._expect_nothing_left()
        self.stop()

    def _restart(self):
        """Another host delivers what there is, after the calls without an answer were made again."""
        self._backend.isDown = True
        self.host = self._launch(False)
        self.initialize(inBackground=True)
        if not self.isReady:
            self.findings.append(f"init fails after a restart: {self.failure}")
            return
        for call in [call for call in self.calls if call.outcome == "unanswered"]:
            call.isRepeated = True
            self._make(call, self.host)
            if call.outcome == "failed":
                self.findings.append(f"{call.method} fails after a restart")
        if not self.isReady:
            self.initialize(inBackground=True)
        # What was under way when a call ended an era is on its way still.
        self._backend.settle()
        self._backend.isDown = False
        if self.consent == "denied" and self._ask(self.host, "isTrackingAllowed")["result"]["allowed"]:
            self.findings.append("the denial is forgotten after a restart")
        if self.consent != "granted":
            self.grant()
        self._expect_forgotten()
        self.track()
        self._send_all()
        if any(call.isRefused for call in self.calls):
            self._retry_refused()
        self._expect_balance(self.host)
        info = self._ask(self.host, self.client + "getDebugInfo")["result"]
        if info.get("storage") != "ok":
            self.findings.append(f"storage after a restart: {info.get('storage')}, {info}")
        self.lost = info.get("account", {}).get("dropped", {}).get("lost", 0)
        self.stop()
        for call in self.calls:
            if call.outcome == "done":
                self._expect_erased(call, "at the end")

    def _send_all(self):
        deadline = time.monotonic() + PATIENCE
        while (report := self.flush()["result"])["remaining"] and time.monotonic() < deadline:
            pass
        if report["remaining"]:
            self.findings.append(f"{report['remaining']} calls stay after a restart: {report.get('stoppedBy')}")

    def _retry_refused(self):
        """All that the server has refused is listed, and comes once it is mended."""
        listed = self.refused()
        taken = {index for request in self._backend.requests if request.status == 200 for index in self._parts(request)}
        for index, call in enumerate(self.calls):
            if call.isRefused and self._is_due(call) and index not in taken and call not in listed:
                self.findings.append(f"call {index} is neither delivered nor listed as refused")
        self.mend()
        requeued = self.retry()["result"]["requeued"]
        if requeued != len(listed):
            self.findings.append(f"of {len(listed)} refused, {requeued} are queued again")
        self._send_all()
        if left := self.refused():
            self.findings.append(f"{len(left)} are refused still")

    # What must hold

    def _expect_balance(self, host):
        account = self._ask(host, self.client + "getDebugInfo")["result"].get("account")
        if account and account["accepted"] + account["recovered"] + account["requeued"] != (
            account["delivered"] + account["queued"] + sum(account["dropped"].values())
        ):
            self.findings.append(f"the account does not balance: {account}")

    def _expect_nothing_left(self):
        """The host holds no more than one that met no fault, as soon as it rests."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.after = {name.replace(str(self.state), "").replace(str(self.folder), ""): count
                          for name, count in self.host.belongings().items()}
            left = [f"{count - self.normal.get(name, 0)} {name}" for name, count in self.after.items()
                    if count > self.normal.get(name, 0) + allowance(name)]
            if not self.normal or not left:
                return
            if time.monotonic() > deadline:
                self.findings.append(f"left behind: {', '.join(sorted(left))}")
                return
            time.sleep(0.02)

    def _expect_forgotten(self):
        """Whoever was forgotten still is."""
        for call in self.calls:
            if call.method == "analytics.forget" and call.outcome == "done":
                later = {"event": "later", "options": {"userId": call.params["userId"]}}
                if self._ask(self.host, "analytics.track", later)["result"].get("reason") != "FORGOTTEN":
                    self.findings.append("a person is no longer forgotten after a restart")

    def _expect_erased(self, call, when):
        """No byte of what a denial or reset(all) has erased is in any file."""
        if not call.erases:
            return
        requests = self._backend.requests
        marks = [self.mark(era) for era in range(call.era + 1)]
        texts = set(marks)
        for request in requests:
            if request.time < call.made and request.session:
                texts |= {request.session, request.device}
        for path in sorted(self.state.rglob("*")):
            content = path.read_bytes() if path.is_file() else b""
            for text in sorted(texts):
                if text.encode() in content:
                    kind = "personal data" if text in marks else "the session or device"
                    self.findings.append(f"{kind} of before {call.method} in {path.relative_to(self.state)} {when}")
                    break

    def _judge(self):
        taken = [request for request in self._backend.requests if request.status == 200]
        made = {request.session: request.device for request in taken if request.session}
        first, owners, keys, eras = {}, {}, {}, {}
        for request in taken:
            for start, *end in self.silent:
                if start < request.time < (end[0] if end else float("inf")):
                    self.findings.append(f"{request.method} {request.path} was sent without consent")
            for index in self._parts(request):
                call = self.calls[index]
                first.setdefault(index, request)
                keys.setdefault(index, set()).add(request.key.removesuffix(":identify"))
                names = {text for pair in made.items() if pair[0] in request.text for text in pair}
                names |= set(re.findall(r'"anonymousId":"(.+?)"', request.text))
                for name in names:
                    eras.setdefault(name, set()).add(call.era)
                if any(self.mark(era) in request.text for era in range(self.era + 1) if era != call.era):
                    self.findings.append(f"a call of era {call.era} came with data of another")
                for end in self.calls:
                    over = end.isBoundary and end.drops and end.outcome in ("done", "failed") and end.time < request.time
                    if over and call.era <= end.era:
                        self.findings.append(f"call {index} was sent after {end.method} was {end.outcome}")
                if call.isRemoved:
                    self.findings.append(f"call {index} was sent after it was removed")
            if request.sequence and owners.setdefault(request.sequence, key := request.key.split(":")[0]) != key:
                self.findings.append(f"sequence {request.sequence} was used by {owners[request.sequence]} and {key}")
        for name, found in eras.items():
            if len(found) > 1:
                kind = "session" if name in made else "device" if name in made.values() else "anonymous"
                self.findings.append(f"one {kind} id came in eras {sorted(found)}")
        self.findings += [f"call {index} came as {sorted(found)}" for index, found in keys.items() if len(found) > 1]
        # A call without an answer was made again after later ones, and what was refused comes after a retry.
        order = [index for index in first if not (self.calls[index].isRepeated or self.calls[index].isRefused)]
        if order != sorted(order):
            self.findings.append(f"the order was {order}")
        missing = [index for index, call in enumerate(self.calls) if self._is_due(call) and index not in first]
        if missing and not (self.mayLose and len(missing) <= self.lost):
            self.findings.append(f"accepted, and never came: {missing}")
        elif self.lost and not self.mayLose:
            self.findings.append(f"{self.lost} counted as lost")
        self.findings = list(dict.fromkeys(self.findings))

    def _parts(self, request):
        """The calls that a request is about."""
        if request.sequence is None:
            return []
        if self.client:
            items = json.loads(request.body)
            return [(item.get("properties") or item["traits"])["call"] for item in (items["batch"] if "batch" in items else items)]
        known = {call.message: index for index, call in enumerate(self.calls)}
        key = request.key.removesuffix(":identify")
        if key not in known:
            self.findings.append(f"an unknown key came: {key}")
        return [known[key]] if key in known else []

    def _is_due(self, call):
        """Whether a call must have come."""
        if call.isBoundary or call.outcome != "accepted":
            return False
        ends = [other for other in self.calls if other.isBoundary and other.era >= call.era]
        return not any(other.drops or not self.hasSession for other in ends)
