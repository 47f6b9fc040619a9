"""The folders that runs begin with, and the scenarios."""
import shutil
import sqlite3

TEMPLATES, SCENARIOS = {}, {}


def template(function):
    TEMPLATES[function.__name__] = function


def scenario(folder=None, second=True, native=False):
    """A scenario on a folder of that template: by itself or with a second host, and with native clients instead."""

    def add(function):
        name = function.__name__.replace("_", "-")
        for program in ["", *(["+native"] if native else [])]:
            for other in ["", *(["+second"] if second else [])]:
                SCENARIOS[name + program + other] = (function, folder)

    return add


# Folders


def play_used(run):
    """A user with a session, and three calls that wait."""
    run.start()
    run.track()
    run.identify()
    run.flush()
    run.hasSession = True
    run.down()
    run.track()
    run.track()
    run.identify()


@template
def used(run):
    play_used(run)
    run.stop()


@template
def killed(run):
    """Its log is not merged into the database."""
    play_used(run)
    run.host.kill()


@template
def damaged(run):
    """A page that holds no record is zero: the one of the stored values."""
    used_until_closed(run)
    page, size = query(run, "SELECT rootpage FROM sqlite_schema WHERE name = 'value'"), query(run, "PRAGMA page_size")
    overwrite(run, (page - 1) * size, bytes(size))


@template
def damaged_with_older_backups(run):
    """The backup files are from before the last user, and the database is damaged."""
    play_used(run)
    copy = shutil.copytree(run.state / "backup", run.folder / "older")
    run.reset()
    run.up()
    run.initialize()
    run.track()
    run.flush()
    run.down()
    run.track()
    run.stop()
    shutil.rmtree(run.state / "backup")
    shutil.copytree(copy, run.state / "backup")
    overwrite(run, 0, bytes(16), "tracker.sqlite3-wal")
    page, size = query(run, "SELECT rootpage FROM sqlite_schema WHERE name = 'value'"), query(run, "PRAGMA page_size")
    overwrite(run, (page - 1) * size, bytes(size))


@template
def older_than_backups(run):
    """The database is from before the last reset, its backups are newer, and it is damaged."""
    used_until_closed(run)
    copy = shutil.copytree(run.state, run.folder / "older")
    run.up()
    run.start()
    run.reset()
    run.identify()
    run.flush()
    run.stop()
    # What came later is in no file any more. The database has calls again that were delivered.
    shutil.copy(copy / "tracker.sqlite3", run.state)
    page, size = query(run, "SELECT rootpage FROM sqlite_schema WHERE name = 'caller_key'"), query(run, "PRAGMA page_size")
    overwrite(run, (page - 1) * size, bytes(size))


@template
def older_than_erasure(run):
    """The database is from before a reset of everything: it has what waited and what was refused. Its backups are newer."""
    play_refused(run)
    run.stop()
    query(run, "PRAGMA wal_checkpoint(TRUNCATE)")
    copy = shutil.copytree(run.state, run.folder / "older")
    run.start()
    run.reset(everything=True)
    run.up()
    run.initialize()
    run.track()
    run.flush()
    run.stop()
    shutil.copy(copy / "tracker.sqlite3", run.state)


@template
def first_schema(run):
    """A database as the first version of this library made it."""
    used_until_closed(run)
    query(run, "ALTER TABLE tenant RENAME COLUMN generation TO epoch")
    query(run, "ALTER TABLE tenant RENAME TO brand")
    for table in "lane", "value":
        query(run, f"ALTER TABLE {table} RENAME COLUMN tenant TO brand")
    query(run, "ALTER TABLE record RENAME COLUMN has_caller_key TO is_given")
    query(run, "DROP INDEX caller_key_removed")
    for table in "lane", "caller_key":
        query(run, f"ALTER TABLE {table} RENAME COLUMN removed TO settled")
    query(run, "ALTER TABLE caller_key RENAME TO given")
    query(run, "CREATE INDEX given_settled ON given(lane, settled) WHERE settled IS NOT NULL")
    query(run, "ALTER TABLE lane DROP COLUMN boot")
    query(run, "DROP TABLE sent_group")
    query(run, "DROP TABLE refused")
    query(run, "DROP TABLE requeued")
    query(run, "DROP TABLE forgotten")
    query(run, "DELETE FROM meta WHERE name = 'salt'")
    query(run, "ALTER TABLE record DROP COLUMN check_sum")
    query(run, "ALTER TABLE lane DROP COLUMN erased")
    query(run, "PRAGMA user_version = 1")


def play_user(run):
    """An analytics client with a user, whose server is down."""
    run.client = "analytics."
    run.start()
    run.identify()
    run.flush()
    run.down()


@template
def batches(run):
    """An analytics client with three events that wait."""
    play_user(run)
    run.track()
    run.track()
    run.flush()
    run.track()
    run.stop()


def play_refused(run):
    """A user with a session, two events that the server has refused, and one that waits."""
    run.start()
    run.track()
    run.track_refused()
    run.track_refused()
    run.track()
    run.flush()
    run.hasSession = True
    run.down()
    run.track()


@template
def refused(run):
    play_refused(run)
    run.stop()


def play_refused_of_earlier_user(run):
    play_refused(run)
    run.reset()
    run.up()
    run.initialize()
    run.wake()
    run.track()
    run.flush()
    # The request for the new session may have been under way while the server was down, and have failed since.
    run.wake()
    run.flush()
    run.down()
    run.track()


@template
def refused_of_earlier_user(run):
    play_refused_of_earlier_user(run)
    run.stop()


@template
def damaged_with_refused(run):
    """One refused event waits again, for the user before and behind one of the next; another one is kept apart."""
    play_refused_of_earlier_user(run)
    run.retry(call=first_refused(run))
    run.stop()
    query(run, "PRAGMA wal_checkpoint(TRUNCATE)")
    page, size = query(run, "SELECT rootpage FROM sqlite_schema WHERE name = 'value'"), query(run, "PRAGMA page_size")
    overwrite(run, (page - 1) * size, bytes(size))


@template
def refusable_batches(run):
    """An analytics client with events that wait, one of which the server will refuse."""
    run.client = "analytics."
    run.down()
    run.start()
    run.track()
    run.track_refused()
    run.track()
    run.stop()


@template
def known_person(run):
    """An analytics client whose user has events that wait, one of which the server will refuse."""
    play_user(run)
    run.track()
    run.track_refused()
    run.track()
    run.stop()


def first_refused(run):
    return next(call for call in run.calls if call.isRefused)


def used_until_closed(run):
    play_used(run)
    run.stop()
    query(run, "PRAGMA wal_checkpoint(TRUNCATE)")


def query(run, text):
    connection = sqlite3.connect(run.state / "tracker.sqlite3", isolation_level=None)
    row = connection.execute(text).fetchone()
    connection.close()
    return row and row[0]


def overwrite(run, offset, content, name="tracker.sqlite3"):
    path = run.state / name
    if path.exists():
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(content)


# Scenarios. Each arms the page where the faults begin; the rest of a run is the same for all.


@scenario(native=True)
def start(run):
    run.arm()
    run.start()
    run.track()
    run.flush()


@scenario("killed", native=True)
def restart(run):
    run.arm()
    run.start()
    run.flush()


@scenario("used", native=True)
def track(run):
    run.down()
    run.start()
    run.arm()
    run.track()
    run.track()


@scenario("used", native=True)
def identify(run):
    run.down()
    run.start()
    run.arm()
    run.identify()
    run.track()


@scenario("used", native=True)
def reset(run):
    run.down()
    run.start()
    run.arm()
    run.reset()
    run.track()


@scenario("used", native=True)
def reset_all(run):
    run.down()
    run.start()
    run.arm()
    run.reset(everything=True)


@scenario("used", native=True)
def denial(run):
    run.down()
    run.start()
    run.arm()
    run.deny()
    run.track()


@scenario("known_person")
def forget(run):
    run.down()
    run.start()
    run.arm()
    run.forget()
    run.track()


@scenario("known_person")
def forget_with_refused(run):
    run.start()
    run.flush()
    run.down()
    run.arm()
    run.forget()


@scenario(native=True)
def consent(run):
    run.withhold()
    run.start()
    run.track()
    run.identify()
    run.arm()
    run.grant()
    run.flush()


@scenario("used", native=True)
def flush(run):
    run.down()
    run.start()
    run.up()
    run.arm()
    run.wake()
    run.flush()


@scenario("used", native=True)
def shutdown(run):
    run.down()
    run.start()
    run.arm()
    run.track()
    run.stop()


@scenario("used", second=False)
def hand_over(run):
    """The faults meet the host that delivers, while another one waits for its turn."""
    run.down()
    run.start()
    run.start(isFaulty=False)
    run.track(run.second)
    run.arm()
    run.up()
    run.wake()
    run.flush()
    run.stop()
    run.wake(run.second)
    run.flush(run.second)


@scenario("used", second=False)
def take_over(run):
    """The faults meet the host that goes on after another one was killed."""
    run.down()
    run.start(isFaulty=False)
    run.start()
    run.track()
    run.up()
    run.wake(run.second)
    run.second.kill()
    run.arm()
    run.wake()
    run.flush()


@scenario("damaged", native=True)
def recovery(run):
    run.arm()
    run.start()
    run.flush()


@scenario("damaged_with_older_backups", native=True)
def recovery_older_backups(run):
    run.arm()
    run.start()
    run.flush()


@scenario("older_than_backups", native=True)
def recovery_newer_backups(run):
    run.arm()
    run.start()
    run.flush()


@scenario("older_than_erasure")
def older_database(run):
    run.arm()
    run.start()
    run.refused()
    run.flush()


@scenario("first_schema", native=True)
def upgrade(run):
    run.arm()
    run.start()
    run.flush()


@scenario("batches", native=True)
def batch(run):
    run.down()
    run.start()
    run.up()
    run.arm()
    run.track()
    run.flush()


@scenario("batches", native=True)
def analytics_reset(run):
    run.down()
    run.start()
    run.arm()
    run.reset()


@scenario(native=True)
def basic(run):
    run.client = "basic."
    run.arm()
    run.start()
    run.track()
    run.identify()
    run.flush()


@scenario("used")
def refusal(run):
    """One event is refused, while others go on."""
    run.down()
    run.start()
    run.track_refused()
    run.track()
    run.up()
    run.arm()
    run.wake()
    run.flush()
    run.refused()


@scenario("refused")
def retry_refused(run):
    """The server was mended."""
    run.down()
    run.start()
    run.mend()
    run.arm()
    run.retry()
    run.up()
    run.wake()
    run.flush()


@scenario("refused")
def retry_in_vain(run):
    run.down()
    run.start()
    run.up()
    run.arm()
    run.retry()
    run.flush()


@scenario("refused_of_earlier_user")
def retry_of_earlier_user(run):
    run.down()
    run.start()
    run.mend()
    run.arm()
    run.retry()
    run.up()
    run.wake()
    run.flush()


@scenario("refused", second=False)
def retry_twice(run):
    """Two hosts queue the same events again."""
    run.down()
    run.start()
    run.start(isFaulty=False)
    run.mend()
    run.arm()
    run.retry()
    run.retry(run.second)
    run.up()
    run.wake()
    run.flush()


@scenario("refused")
def drop_refused(run):
    run.down()
    run.start()
    run.arm()
    run.drop(first_refused(run))


@scenario("refused")
def denial_with_refused(run):
    run.down()
    run.start()
    run.arm()
    run.deny()


@scenario("refused")
def reset_all_with_refused(run):
    run.down()
    run.start()
    run.arm()
    run.reset(everything=True)


@scenario("damaged_with_refused")
def recovery_with_refused(run):
    run.arm()
    run.start()
    run.refused()
    run.flush()


@scenario("refusable_batches")
def batch_refusal(run):
    run.down()
    run.start()
    run.up()
    run.arm()
    run.wake()
    run.flush()
    run.refused()


@scenario("refusable_batches")
def analytics_reset_with_refused(run):
    run.start()
    run.flush()
    run.arm()
    run.reset()
