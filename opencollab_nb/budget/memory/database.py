"""The file behind a store: one SQLite database in WAL mode, for many tenants, written by many processes.

Each tenant has a table of words of its own, so that neither hits nor their order depend on what another
tenant keeps. Deleting is done twice: at once in the tables, then from the bytes of the files (`scrub`).
A deletion leaves a mark that only the second half takes away, so a process that dies between
the two leaves it to the next one that opens the file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from opencollab_nb.errors import UsageProblem

if TYPE_CHECKING:
    import sqlite3

NOWHERE = ":memory:"
HOME_VARIABLE = "OPENCOLLAB_NB_HOME"
VERSION = 1
APPLICATION = 0x6F636D65
"""Written in the file's head, so that a database of something else is never taken for a store."""
BUSY_SECONDS = 30.0
"""How long a writer waits for another one; a scrub of 10,000 memories takes well under one."""
_RETRY_SECONDS = 0.02

_TABLES = """
CREATE TABLE tenants (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, next INTEGER NOT NULL DEFAULT 1);
CREATE TABLE memories (
    row INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id INTEGER NOT NULL, project TEXT, kind TEXT NOT NULL,
    text TEXT NOT NULL, words TEXT NOT NULL, source TEXT NOT NULL, by TEXT NOT NULL, confidence REAL NOT NULL,
    created REAL NOT NULL, expires REAL, hits INTEGER NOT NULL DEFAULT 0,
    flags TEXT NOT NULL DEFAULT '', redacted TEXT NOT NULL DEFAULT '',
    UNIQUE (tenant, id)
);
CREATE INDEX by_text ON memories (tenant, text);
CREATE TABLE scrub (due INTEGER PRIMARY KEY);
"""


def standard_path() -> Path:
    """Where memories lie when no file is named: beside the runs, in the user's data folder."""
    from platformdirs import user_data_path

    home = os.environ.get(HOME_VARIABLE)
    return (Path(home).expanduser() if home else user_data_path("opencollab_nb")) / "memory.db"


def opened(path: str) -> sqlite3.Connection:
    """A connection to the store in that file, which is made where it is missing, for its owner only.

    Raises:
        UsageProblem: the file cannot be opened, or holds something else.
    """
    import sqlite3

    try:
        if path != NOWHERE:
            Path(path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as problem:
        raise UsageProblem(
            f"the memories in {path} cannot be opened: {problem}. Give another path."
        ) from problem
    try:
        _prepare(db, path)
    except (sqlite3.Error, UsageProblem) as problem:
        db.close()
        if isinstance(problem, UsageProblem):
            raise
        raise UsageProblem(
            f"{path} holds no memories that can be read: {problem}. Give another path."
        ) from problem
    return db


def _prepare(db: sqlite3.Connection, path: str) -> None:
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA temp_store = MEMORY")  # what is deleted must not lie in a temporary file
    _in_wal_mode(db)
    with writing(db):
        version = db.execute("PRAGMA user_version").fetchone()[0]
        application = db.execute("PRAGMA application_id").fetchone()[0]
        if not version and not db.execute("SELECT 1 FROM sqlite_master").fetchone():
            for statement in _TABLES.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {VERSION}")
        elif (application, version) != (APPLICATION, VERSION):
            what = "of another version of this library" if application == APPLICATION else "of something else"
            raise UsageProblem(f"{path} is a database {what}. Give another path.")


def _in_wal_mode(db: sqlite3.Connection) -> None:
    """Changing the mode does not wait for other processes by itself; two may open a new file at once."""
    import sqlite3

    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """One change, whole or not at all; it begins as a writer, so that it waits and does not fail half way."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def tenant_number(db: sqlite3.Connection, name: str) -> int:
    """The tenant's number, given at its first visit along with its table of words."""
    known = db.execute("SELECT number FROM tenants WHERE name = ?", (name,)).fetchone()
    if known:
        return int(known[0])
    with writing(db):
        db.execute("INSERT OR IGNORE INTO tenants (name) VALUES (?)", (name,))
        number = int(db.execute("SELECT number FROM tenants WHERE name = ?", (name,)).fetchone()[0])
        db.execute(
            f"CREATE VIEW IF NOT EXISTS of_{number} AS SELECT row, words FROM memories "  # noqa: S608 - an int
            f"WHERE tenant = (SELECT name FROM tenants WHERE number = {number})"
        )
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS words_{number} USING fts5(words, content='of_{number}', "
            "content_rowid='row', tokenize='porter unicode61 remove_diacritics 2')"
        )
    return number


def mark_for_scrub(db: sqlite3.Connection) -> None:
    """Something was deleted whose bytes are still there."""
    db.execute("INSERT OR IGNORE INTO scrub VALUES (1)")


def scrub(db: sqlite3.Connection, *, seconds: float = BUSY_SECONDS) -> bool:
    """Take what was deleted out of the bytes of the file and its log; False while others are in the way.

    `secure_delete` alone leaves copies: of cells that moved between pages, and in the log. So the
    file is written anew, and the log is emptied.
    """
    import sqlite3

    if not db.execute("SELECT 1 FROM scrub").fetchone():
        return True
    until = time.monotonic() + seconds
    db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")  # what follows waits by itself, too
    try:
        while not _written_anew(db):
            if time.monotonic() >= until:
                return False
            time.sleep(_RETRY_SECONDS)
        with writing(db):
            db.execute("DELETE FROM scrub")
    except sqlite3.OperationalError:
        return False
    finally:
        db.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    return True


def _written_anew(db: sqlite3.Connection) -> bool:
    import sqlite3

    try:
        db.execute("VACUUM")
        busy: int = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError:
        return False
    return not busy
