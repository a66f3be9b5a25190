"""Private tables, asked as an analyst: docs/notebooks.md and clients/python/README.md."""

import re
from dataclasses import dataclass, field

import psycopg
from psycopg.rows import dict_row, tuple_row

__all__ = ["ACTIONS", "Analyst", "Answer", "Refused"]

# What to do about a refusal, by its SQLSTATE.
ACTIONS = {
    "PV001": "stop",      # no budget is left for it
    "PV002": "rewrite",   # this cannot be asked of a protected table: the hint says what can
    "PV003": "declare",   # bounds or categories are missing: state some in the text, or ask the owner
    "PV004": "retry",     # the release was not made; wait a moment. What was charged stays charged
    "PV005": "change",    # an argument is out of range
    "PV006": "access",    # no access: ask the owner
    "42501": "access",
}


class Refused(Exception):
    """A statement that got no answer. Before the charge, but for PV004, whose message says so."""

    def __init__(self, error: psycopg.Error):
        self.code = error.sqlstate or ""
        self.message = error.diag.message_primary or str(error)
        self.detail = error.diag.message_detail or ""
        self.hint = error.diag.message_hint or ""
        super().__init__(" ".join(filter(None, [f"{self.code}: {self.message}.", self.detail, self.hint])))

    @property
    def action(self) -> str:
        return ACTIONS.get(self.code, "rewrite")


@dataclass
class Answer:
    """Rows of one statement, and what was said of them."""

    columns: list
    rows: list
    charged: dict | None = None     # epsilon, delta, of the tables of one account; None: nothing
    intervals: dict = field(default_factory=dict)  # name -> (least, most) half width, 95%
    notices: list = field(default_factory=list)

    def frame(self):
        """A pandas data frame, with charged and intervals in its attrs."""
        import pandas

        frame = pandas.DataFrame(self.rows, columns=self.columns)
        frame.attrs.update(charged=self.charged, intervals=self.intervals)
        return frame


NUMBER = r"([0-9.eE+-]*[0-9]|any)"


def _charge(text: str) -> dict | None:
    found = re.search(rf"charged? epsilon {NUMBER}(?:, delta {NUMBER})?: {NUMBER}% of the budget of (.*?);", text)
    if not found:
        return None
    return {
        "epsilon": float(found[1]),
        "delta": float(found[2] or 0),
        "share": float(found[3]) / 100,
        "account": found[4],
    }


def _width(text: str) -> float:
    return float("inf") if text == "any" else float(text)


def _intervals(detail: str) -> dict:
    found = re.match(r"95% intervals: (.*)\.$", detail, re.S)
    widths = {}
    for name, least, most in re.findall(rf"(?:^|, )(.+?) \+/- {NUMBER}(?: to {NUMBER})?(?=,|$)", found[1] if found else ""):
        widths[name] = (_width(least), _width(most or least))
    return widths


class Analyst:
    """A connection of an analyst. Nothing here reads a row; `ask` alone is charged."""

    def __init__(self, conninfo: str = "", **parameters):
        self._connection = psycopg.connect(conninfo, autocommit=True, row_factory=dict_row, **parameters)
        self._said: list = []
        self._connection.add_notice_handler(self._hear)
        self._connection.execute("SET default_transaction_read_only = on")
        self._connection.execute("SET client_min_messages = notice")
        # Facades answer in sessions that have the library before their first statement is planned.
        if not self._one("SELECT count(*) AS n FROM pg_settings WHERE name = 'dpmix.epsilon'")["n"]:
            self._refusing("LOAD 'dpmix'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._connection.close()

    def _hear(self, said):  # of which nothing is left once this has returned
        self._said.append((said.message_primary or "", said.message_detail or "", said.message_hint or ""))

    def _refusing(self, sql, parameters=None):
        self._said.clear()
        try:
            return self._connection.execute(sql, parameters)
        except psycopg.Error as error:
            raise Refused(error) from None

    def _one(self, sql, parameters=None) -> dict:
        return self._refusing(sql, parameters).fetchone()

    def _all(self, sql, parameters=None) -> list:
        return self._refusing(sql, parameters).fetchall()

    def tables(self) -> list:
        """Facades that may be asked by plain SQL."""
        return self._all(
            "SELECT d.item AS facade, b.relation::text AS stands_for, d.value AS terms"
            " FROM dpmix.budget AS b, LATERAL dpmix.describe(b.relation) AS d WHERE d.section = 'plain SQL' ORDER BY 1"
        )

    def describe(self, table: str) -> list:
        """Sections, items and values of dpmix.describe: all that is known of a table before asking."""
        return self._all("SELECT * FROM dpmix.describe(%s::text::regclass)", [table])

    def budget(self) -> list:
        """What is spent and left, of each table and of the own grants."""
        return self._all(
            "SELECT b.relation::text AS table, b.epsilon, b.delta, b.epsilon_spent, b.share_spent, r.epsilon_cap,"
            " r.cap_remaining, r.share_cap, r.share_spent AS share_of_role FROM dpmix.budget AS b"
            " LEFT JOIN dpmix.role_budget AS r ON r.relation = b.relation AND pg_has_role(r.role, 'USAGE') ORDER BY 1"
        )

    def spent_since(self, when: str = "today") -> float:
        """Sum of the epsilon of the own charges since then (a timestamp as PostgreSQL reads it)."""
        said = "SELECT coalesce(sum(epsilon), 0)::float8 AS n FROM dpmix.charges(since => %s::text::timestamptz)"
        return self._one(said + " WHERE role = current_user", [when])["n"]

    def _settings(self, epsilon, error, delta, group_rows) -> dict:
        if epsilon is not None and error is not None:
            raise ValueError("state epsilon or error, not both")
        asked = {"epsilon": epsilon, "error": error, "delta": delta, "group_rows": group_rows}
        return {f"dpmix.{name}": str(value) for name, value in asked.items() if value is not None}

    def _under(self, settings: dict, sql: str, parameters):
        with self._connection.transaction():
            for name, value in settings.items():
                self._refusing("SELECT set_config(%s, %s, true)", [name, value])
            cursor = self._connection.cursor(row_factory=tuple_row)
            self._said.clear()
            try:
                cursor.execute(sql, parameters, prepare=True)  # prepared: one statement, never two
            except psycopg.Error as error:
                raise Refused(error) from None
            columns = [column.name for column in cursor.description or []]
            return columns, cursor.fetchall() if cursor.description else []

    def preview(self, sql: str, *, epsilon=None, error=None, delta=None, group_rows=None, parameters=None) -> list:
        """For each private answer of a statement over facades: noise of its numbers, charge, other words. Free."""
        _, rows = self._under(
            self._settings(epsilon, error, delta, group_rows), "EXPLAIN (COSTS OFF, FORMAT JSON) " + sql, parameters
        )
        answers = []
        for part in rows[0][0]:
            for name, lines in part.items():
                if not name.startswith("Private Answer"):
                    continue
                noise = {}
                for line in lines:
                    if found := re.match(rf"(.+): (\w+) noise, 95% within {NUMBER}$", line):
                        noise[found[1]] = {"mechanism": found[2], "within": _width(found[3])}
                charge = next(filter(None, map(_charge, lines)), None)
                answers.append({"noise": noise, "charge": charge, "said": lines})
        return answers

    def ask(self, sql: str, *, epsilon=None, error=None, delta=None, group_rows=None, parameters=None) -> Answer:
        """The answer of one statement. epsilon: its price; error: half the width of the first 95% interval instead."""
        columns, rows = self._under(self._settings(epsilon, error, delta, group_rows), sql, parameters)
        answer = Answer(columns, rows)
        for message, detail, hint in self._said:
            answer.notices.append(" ".join(filter(None, [message, detail, hint])))
            answer.charged = answer.charged or _charge(message)
            answer.intervals.update(_intervals(detail))
        return answer
