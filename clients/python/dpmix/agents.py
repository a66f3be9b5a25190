"""A Model Context Protocol server of one analyst's private tables: docs/agents.md."""

import argparse
import functools
import json
import math
from typing import Any

from dpmix import Analyst, Refused

INSTRUCTIONS = """Tables of people, protected by differential privacy. You get noisy aggregates, never rows.
Order of work: tables, describe (columns, bounds, groups), preview (free: noise, price, why something is refused), ask.
Prefer `error` to `epsilon`: half the width of the 95% interval that you need. Every new question spends budget that
never comes back; the same question again within a day is free. Report answers with their intervals: a number within
its noise of 0 says nothing. `refused.action` says what to do: rewrite, change, declare, retry, access, stop."""


def _plain(value):
    """What JSON has."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else json.loads(json.dumps(value, default=str))


def server(analyst: Analyst, epsilon_a_day: float | None = None):
    from mcp.server import MCPServer

    made = MCPServer("dpmix", instructions=INSTRUCTIONS)

    def tool(function):
        @functools.wraps(function)
        def answered(*arguments, **named) -> dict[str, Any]:
            try:
                return _plain(function(*arguments, **named))
            except Refused as refusal:
                said = {name: getattr(refusal, name) for name in ("code", "action", "message", "detail", "hint")}
                return {"refused": said}
            except ValueError as error:
                return {"refused": {"code": "PV005", "action": "change", "message": str(error), "detail": "", "hint": ""}}

        return made.tool()(answered)

    @tool
    def tables() -> dict[str, Any]:
        """Which private tables can be asked: names to write into FROM. Free."""
        return {"tables": analyst.tables()}

    @tool
    def describe(table: str) -> dict[str, Any]:
        """Columns with their bounds and values, what is protected, terms, and questions ready to run. Free."""
        return {"table": table, "facts": analyst.describe(table)}

    @tool
    def preview(sql: str, error: float | None = None, epsilon: float | None = None, group_rows: int | None = None) -> dict[str, Any]:
        """What one SELECT would cost and how far off each number would be, or why it is refused. Free.

        error: half the width of the first 95% interval that is wanted; epsilon: the price instead. group_rows: rows
        that a group has, about, where averages are asked."""
        told = analyst.preview(sql, error=error, epsilon=epsilon, group_rows=group_rows)
        none = "nothing private is asked; of rows a facade has none: ask for aggregates, such as count(*) or avg(x)"
        return {"answers": told} if told else {"answers": told, "said": none}

    @tool
    def ask(sql: str, error: float | None = None, epsilon: float | None = None, group_rows: int | None = None) -> dict[str, Any]:
        """The noisy answer of one SELECT of aggregates. Spends budget. One of error and epsilon, as for preview."""
        if error is None and epsilon is None:
            raise ValueError("state error (half the width of a 95% interval) or epsilon; preview shows the price, free")
        if epsilon_a_day is not None:
            prices = [a["charge"] for a in analyst.preview(sql, error=error, epsilon=epsilon, group_rows=group_rows)]
            asked, spent = sum(p["epsilon"] for p in prices if p), analyst.spent_since()
            if spent + asked > epsilon_a_day:
                said = f"this would make epsilon {spent + asked:.4g} today, and {epsilon_a_day:.4g} a day is allowed here"
                return {"refused": {"code": "PV001", "action": "stop", "message": said, "detail": "",
                                    "hint": "Ask with a larger error, or tomorrow."}}
        answer = analyst.ask(sql, error=error, epsilon=epsilon, group_rows=group_rows)
        return {"columns": answer.columns, "rows": answer.rows, "intervals_95": answer.intervals,
                "charged": answer.charged, "notices": answer.notices}

    @tool
    def budget() -> dict[str, Any]:
        """What is spent and left of each table, and of the own grants. Free."""
        return {"tables": analyst.budget(), "epsilon_today": analyst.spent_since()}

    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conninfo", nargs="?", default="", help="of libpq; empty: its environment")
    parser.add_argument("--epsilon-a-day", type=float, help="this server's own limit; the grant's holds besides")
    chosen = parser.parse_args()
    with Analyst(chosen.conninfo) as analyst:
        server(analyst, chosen.epsilon_a_day).run()


if __name__ == "__main__":
    main()
