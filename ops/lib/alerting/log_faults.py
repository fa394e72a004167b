"""What happens to the log's tables: locks, refusals, damage."""

import subprocess
import time

import device

from .waits import await_frame, refused, wait


class LogFaults:
    def ReadModelDiffers(self):
        user, name = (device.identifiers(7, kind, 1)[0] for kind in ("user", "device"))
        phone = self.store.device(user, name)
        phone.append(device.registered())
        await_frame(phone, device.APPENDED)
        phone.close()
        wait(30, lambda: self.store.sql(f"SELECT count(*) FROM read_1.apps WHERE user_id = '{user}';") != [["0"]])
        self.store.sql(f"UPDATE read_1.apps SET value = '\\x0a0178' WHERE user_id = '{user}';")
        self.run.expect("ReadModelDiffers", self.store)

    def RebuildAbandoned(self):
        log = self.store.psql()
        # A lock holds it before it shows what it made, until it is killed.
        log.run("BEGIN; SELECT 1 FROM log_partitions FOR UPDATE;")
        begun = subprocess.Popen(
            [f"{self.run.binaries}/focusctl", "projections", "rebuild", "--all", "--data-dir", self.store.data],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        unfinished = "SELECT count(*) FROM rebuilds WHERE finished_at IS NULL;"
        wait(30, lambda: self.store.sql(unfinished) == [["1"]])
        begun.kill()
        begun.wait()
        log.run("ROLLBACK;")
        log.close()
        self.run.expect("RebuildAbandoned", self.store, seconds=150)

    def ProjectionStalled(self):
        log, phone = self.store.psql(), self.store.device(self.user, self.phone)
        phone.append(device.registered())
        await_frame(phone, device.APPENDED)
        log.run("BEGIN; SELECT 1 FROM read_1.checkpoints FOR UPDATE;")
        phone.append([device.posted("n")])
        self.run.expect("ProjectionStalled", self.store, while_=phone.frames)
        log.run("ROLLBACK;")
        log.close()
        phone.close()

    def StoreFiguresOld(self):
        log = self.store.psql()
        log.run("BEGIN; LOCK TABLE backups IN ACCESS EXCLUSIVE MODE;")
        self.run.expect("StoreFiguresOld", self.store, seconds=200)
        log.run("ROLLBACK;")
        log.close()

    def SlowCommits(self):
        """Two alerts: whoever waits for a commit waits for an acknowledgement."""
        log, phone = self.store.psql(), self.store.device(self.user, self.phone, incarnation=2)

        def delay():
            phone.append([device.posted("n") for _ in range(3)])
            log.run("BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.8); ROLLBACK;")
            phone.frames()
        self.run.expect("CommitsSlow", self.store, while_=delay)
        self.run.expect("AcknowledgementsSlow", self.store, while_=delay)
        log.close()
        phone.close()

    def DueLate(self):
        """A Focus that ends while the log is locked."""
        phone = self.store.device(self.user, self.phone, incarnation=3)
        end = int((time.time() + 3) * 1_000_000)
        phone.append(
            [device.envelope("focus.configured", device.data(1, "due") + device.data(2, "Due"), app=None),
             device.envelope(
                 "focus.changed", device.data(1, "due") + device.number(2, 1) + device.number(3, end), app=None)])
        await_frame(phone, device.APPENDED)
        self.refuse("focus.expired")
        self.run.expect("DueLate", self.store)
        self.refuse(None)
        phone.close()

    def refuse(self, kind):
        """Has PostgreSQL say that its disk is full when an event of this type comes; None: of none any more."""
        self.store.sql("DROP TRIGGER IF EXISTS test_refuse ON events;")
        if kind:
            self.store.sql(
                "CREATE OR REPLACE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                "RAISE EXCEPTION 'refused by the test' USING ERRCODE = '53100'; END $$; "
                f"CREATE TRIGGER test_refuse BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.type = '{kind}') "
                "EXECUTE FUNCTION test_refuse();")

    def AppendsFail(self):
        user, name = (device.identifiers(6, kind, 1)[0] for kind in ("user", "device"))
        self.refuse("focus.configured")

        def ask():
            try:
                one = device.Device(self.store.address, self.store.tokens.sign(user, name), 1)
                await_frame(one, device.WELCOME)
                one.append([device.envelope("focus.configured", device.data(1, "x") + device.data(2, "X"), app=None)])
                await_frame(one, device.APPENDED)
            except (SystemExit, OSError):
                pass  # It is told “unavailable”.
        self.run.expect("AppendsFail", self.store, while_=ask)
        self.refuse(None)

    def NotReady(self):
        log = self.store.psql()
        log.run("BEGIN; LOCK TABLE log_partitions IN ACCESS EXCLUSIVE MODE;")
        self.run.expect("FocusdNotReady", self.store)
        log.run("ROLLBACK;")
        log.close()

    def Quarantine(self):
        """Two alerts: a user whose events cannot be folded, and whose rows then lack some."""
        user, name = (device.identifiers(5, kind, 1)[0] for kind in ("user", "device"))
        phone = self.store.device(user, name)
        phone.append(device.registered())
        await_frame(phone, device.APPENDED)
        phone.close()
        wait(30, lambda: self.store.sql(f"SELECT count(*) FROM read_1.devices WHERE user_id = '{user}';") != [["0"]])
        self.store.kill()
        self.store.sql(f"UPDATE read_1.devices SET memo = '\\xff' || memo WHERE user_id = '{user}';")
        # Somebody else's server has appended meanwhile.
        self.store.sql(
            "ALTER TABLE events DISABLE TRIGGER ALL; WITH last AS (SELECT * FROM events WHERE user_id = "
            f"'{user}' ORDER BY version DESC LIMIT 1), p AS (UPDATE log_partitions SET next_offset = next_offset + 1, "
            "last_event_id = '00000000-0000-7000-8000-000000000001' WHERE partition = (SELECT partition FROM last) "
            "RETURNING partition, next_offset - 1 AS at, last_recorded_at) "
            "INSERT INTO events (partition, log_offset, user_id, version, device_id, incarnation, device_seq, "
            "event_id, type, app_id, occurred_at, recorded_at, schema_version, encoding, payload) "
            "SELECT p.partition, p.at, l.user_id, l.version + 1, l.device_id, l.incarnation, l.device_seq + 1, "
            "'00000000-0000-7000-8000-000000000001', 'badge.cleared', l.app_id, l.occurred_at, "
            "p.last_recorded_at, 1, 0, '' "
            "FROM last l, p; ALTER TABLE events ENABLE TRIGGER ALL;")
        self.store.start()

        def knock():
            refused(self.store, self.store.tokens.sign(user, name))
        self.run.expect("UsersQuarantined", self.store, while_=knock)
        self.run.expect("UsersLackRows", self.store, seconds=150, while_=knock)
        self.store.sql(f"UPDATE read_1.devices SET memo = substring(memo FROM 2) WHERE user_id = '{user}';")
