"""Random schemas of one population, and random statements over layers of them, as SQL.

statements.py FIRST SCHEMAS STATEMENTS [FUNCTION]: schemas are s1, s2, ..., and each is the same every
time; the function (layers.sql: compare) is called with each statement and how many of its columns are keys

Most are what one person's rows decide; some break one of the rules for that, and may be refused. Rows tie often, so
that what hangs on an order is ordered by all columns; whatever else a statement says is determined. Names of tables:
p has one row a unit, q and w are named by links (w by two columns), l and m belong to units through them, k through l;
b and d are public.
"""

import random
import sys

from schemas import PRIVATE, PUBLIC, TABLES, TEXTS, Column, schema


class Statements:
    def __init__(self, random):
        self.random, self.names = random, 0
        self.joined_last = []  # columns of the right side, where the FROM that was made last ends with a LEFT JOIN

    def chance(self, share):
        return self.random.random() < share

    def one(self, things):
        return self.random.choice(things)

    def alias(self):
        self.names += 1
        return f"t{self.names}"

    # --- Conditions ---

    def operand(self, columns, kind="number"):
        fitting = [c for c in columns if c.kind == kind]
        if not fitting or self.chance(0.3):
            return str(self.random.randrange(5)) if kind == "number" else f"'{self.one(TEXTS)}'"
        return self.one(fitting).name

    def comparison(self, columns):
        column = self.one(columns)
        if self.chance(0.15):
            return f"{column.name} IS {self.one(['', 'NOT '])}NULL"
        if column.kind == "text":
            return f"{column.name} {self.one(['=', '<>', '<'])} {self.operand(columns, 'text')}"
        return f"{column.name} {self.one(['=', '<>', '<', '>=', '>'])} {self.operand(columns)}"

    def equal_units(self, left, right):
        """That columns of both sides tell the same unit; some say less, or other things."""
        if self.chance(0.03):
            sides = [[c.name for c in side if c.kind == "number"] for side in (left, right)]
            return self.one(
                [
                    f"{self.one(sides[0])} = {self.one(sides[1])}" if all(sides) else "true",
                    "true",
                    self.comparison(left + right),
                ]
            )
        marks = {c.mark for c in left} & {c.mark for c in right} - {None}
        whole = sorted(marks - {"wi", "wj"}) + (["w"] if {"wi", "wj"} <= marks else [])
        if not whole:
            return None
        mark = "u" if "u" in whole and self.chance(0.6) else self.one(whole)
        parts = ["wi", "wj"] if mark == "w" else [mark]
        if mark == "w" and self.chance(0.08):
            parts = parts[:1]
        equal = [
            f"{self.one([c for c in left if c.mark == part]).name} = "
            f"{self.one([c for c in right if c.mark == part]).name}"
            for part in parts
        ]
        return " AND ".join(equal)

    def inner(self, columns, depth, what):
        """FROM and WHERE of a sub-select in an expression, over the rows of the row around it, and its columns."""
        for _ in range(20):
            text, inside = self.joined(depth - 1, 2, single=what == "first")
            last = self.joined_last
            units = self.equal_units(columns, inside)
            if units is None:
                continue
            if self.chance(0.4):
                joined_by = self.one(["AND", "AND", "AND", "OR"] if self.chance(0.2) else ["AND"])
                units += f" {joined_by} {self.comparison(inside + columns)}"
            often = 0.7 if what in ("value", "first") else 0.2
            late = self.equal_units(columns, last) if last and self.chance(often) else None
            if late is not None:  # in ON of a LEFT JOIN, where it says nothing of rows that find none
                return f"{text} AND {late}", "true", inside
            if self.chance(0.15) and depth > 1:
                units += f" AND {self.sub_select(inside, depth - 1)}"
            return text, units, inside
        return "q AS q0", "true", [c.of("q0") for c in TABLES["q"]]

    def sub_select(self, columns, depth):
        kind = self.one(["exists", "exists", "not exists", "in", "not in", "value", "first"])
        if kind in ("exists", "not exists"):
            text, units, _ = self.inner(columns, depth, kind)
            return f"{kind.upper()} (SELECT FROM {text} WHERE {units})"
        if kind in ("in", "not in"):
            return self.membership(columns, depth, kind)
        text, units, inside = self.inner(columns, depth, kind)
        numbers = [c for c in inside if c.bounded] or [Column("1", bounded=True)]
        if kind == "value":
            value = self.aggregate(inside)[0]
            return f"(SELECT {value} FROM {text} WHERE {units}) {self.one(['>', '=', '<'])} {self.operand(columns)}"
        order = ", ".join(c.name for c in self.random.sample(inside, len(inside)))
        return (
            f"(SELECT {self.one(numbers).name} FROM {text} WHERE {units} ORDER BY {order} LIMIT 1) "
            f"{self.one(['>', '=', '<', 'IS NOT DISTINCT FROM'])} {self.operand(columns)}"
        )

    def membership(self, columns, depth, kind):
        for _ in range(20):
            text, inside = self.joined(depth - 1, 1 if self.chance(0.7) else 2)
            left = self.one([c for c in columns if c.kind == "number"] or [None])
            if left is None:
                continue
            right = [c for c in inside if c.kind == "number" and (c.mark == left.mark or self.chance(0.03))]
            if left.mark in (None, "wi", "wj") or not right:
                if not self.chance(0.3):
                    continue
                units = self.equal_units(columns, inside)
                if units is None:
                    continue
                right = [c for c in inside if c.kind == "number"]
            else:
                units = self.comparison(inside)
            return f"{left.name} {kind.upper()} (SELECT {self.one(right).name} FROM {text} WHERE {units})"
        return "true"

    def condition(self, columns, depth):
        made = [self.comparison(columns)]
        while self.chance(0.35):
            made.append(
                self.sub_select(columns, depth) if depth > 0 and self.chance(0.6) else self.comparison(columns)
            )
        if depth > 0 and self.chance(0.4):
            made[0] = self.sub_select(columns, depth)
        return (" OR " if self.chance(0.12) else " AND ").join(
            f"({one})" if " OR " in one or " AND " in one else one for one in made
        )

    # --- FROM ---

    def item(self, depth):
        alias = self.alias()
        if depth > 0 and self.chance(0.55):
            text, columns = self.relation(depth - 1)
            return f"({text}) AS {alias}", [c.of(alias) for c in columns]
        table = self.one(PRIVATE)
        return f"{table} AS {alias}", [c.of(alias) for c in TABLES[table]]

    def found(self, columns):
        """What a row of these columns finds at most one row of, by a key or as there is one of a unit."""
        alias, marks = self.alias(), {c.mark: c.name for c in columns}
        ways = [(t, m) for t, m in (("p", "u"), ("q", "q"), ("l", "l")) if m in marks]
        if "wi" in marks and "wj" in marks:
            ways.append(("w", "wi"))
        table, mark = self.one(ways or [("b", None)])
        other = [c.of(alias) for c in TABLES[table]]
        if mark is None:
            return f"b AS {alias}", other, f"{alias}.z = {self.operand(columns)}"
        parts = ["wi", "wj"] if mark == "wi" else [mark]
        on = " AND ".join(f"{next(c.name for c in other if c.mark == part)} = {marks[part]}" for part in parts)
        return f"{table} AS {alias}", other, on

    def lateral(self, columns, depth, single):
        """What each row of these columns has beside it, of the rows of the same unit: one row of it, or more."""
        alias, kind = self.alias(), self.one(["value", "value", "first", "first", "rows"])
        text, units, inside = self.inner(columns, depth, "value" if kind == "value" else "first")
        if kind == "value":
            value, known = self.aggregate(inside)
            return f"LATERAL (SELECT {value} AS v FROM {text} WHERE {units}) AS {alias}", [Column(f"{alias}.v", **known)]
        kept = self.random.sample(inside, min(len(inside), 4))
        shown = ", ".join(f"{c.name} AS l{i}" for i, c in enumerate(kept))
        order = ", ".join(c.name for c in self.random.sample(inside, len(inside)))
        limit = f" ORDER BY {order} LIMIT {1 if single or self.chance(0.6) else 2}" if single or kind == "first" else ""
        return f"LATERAL (SELECT {shown} FROM {text} WHERE {units}{limit}) AS {alias}", [
            Column(f"{alias}.l{i}", c.kind, c.mark, c.bounded, c.grouped, c.nullable) for i, c in enumerate(kept)
        ]

    def joined(self, depth, most=3, single=False):
        """FROM, and its columns. single: of the rows of one part each finds one of the others."""
        text, columns = self.item(depth)
        late, last = None, []
        for _ in range(self.one([0, 0, 1, 1, 2][: most + 2])):
            if depth > 0 and self.chance(0.2):
                more, other = self.lateral(columns, depth, single)
                join, on = self.one(["JOIN", "LEFT JOIN"]), "true"
            elif single and not self.chance(0.1):
                (more, other, on), join = self.found(columns), self.one(["JOIN", "LEFT JOIN"])
            elif self.chance(0.2):
                alias, table = self.alias(), "b" if text[0] in "p(" else self.one(PUBLIC)
                if " d AS " in text:  # once: a unit has no more rows than its owner says
                    table = "b"
                other = [c.of(alias) for c in TABLES[table]]
                numbers = [c.name for c in columns if c.kind == "number"]
                join, on = self.one(["JOIN", "LEFT JOIN"]), (
                    f"{alias}.z = {self.one(numbers)}" if numbers else "true"
                )
                more = f"{table} AS {alias}"
            else:
                more, other = self.item(depth)
                on = self.equal_units(columns, other)
                if on is None:
                    continue
                join = self.one(
                    ["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN"] if depth > 0 else ["JOIN", "LEFT JOIN"]
                )
            if self.chance(0.25):
                on += f" AND {self.comparison(columns + other)}"
            on, late = (f"{on} AND {late}", None) if late else (on, None)
            if more[0] not in PUBLIC and self.chance(0.04):  # what is said too late, in ON of another join
                on, late = "true", on
            columns = [c.of_join(join == "RIGHT JOIN") for c in columns] + [
                c.of_join(join == "LEFT JOIN") for c in other
            ]
            text = f"{text} {join} {more} ON {on}"
            last = other if join == "LEFT JOIN" else []
        self.joined_last = last
        return text, columns

    # --- Blocks ---

    def aggregate(self, columns):
        """SQL, and what is known of it."""
        bounded = [c.name for c in columns if c.bounded]
        numbers = [c.name for c in columns if c.kind == "number"]
        kind = self.one(["count(*)", "count", "sum", "min", "max", "avg", "distinct", "some"])
        if kind == "count(*)" or not bounded or not numbers:
            return f"count(*){self.filter(columns)}", dict(bounded=True, nullable=False)
        if kind == "count":
            return f"count({self.one(columns).name}){self.filter(columns)}", dict(bounded=True, nullable=False)
        if kind == "distinct":
            return f"count(DISTINCT {self.one(columns).name})", dict(bounded=True, nullable=False)
        if kind == "some":
            return f"(CASE WHEN bool_or({self.comparison(columns)}) THEN 1 ELSE 0 END)", dict(bounded=True)
        return f"{kind}({self.one(bounded)}){self.filter(columns)}", dict(bounded=True)

    def filter(self, columns):
        return f" FILTER (WHERE {self.comparison(columns)})" if self.chance(0.2) else ""

    def units_of(self, columns):
        """Columns that tell the unit; none where there are none that do."""
        whole = [[c] for c in columns if c.mark in ("u", "q", "l") and (not c.nullable or self.chance(0.2))]
        for one in columns:
            for other in columns:
                if (one.mark, other.mark) == ("wi", "wj") and (
                    self.chance(0.2) or not (one.nullable or other.nullable)
                ):
                    whole.append([one] if self.chance(0.05) else [one, other])
        if self.chance(0.08) or not whole:
            return [self.one(columns)]
        own = [one for one in whole if one[0].mark == "u"]
        return self.one(own if own and self.chance(0.6) else whole)

    def block(self, depth):
        kind = self.one(
            ["rows", "rows", "groups", "groups", "groups", "distinct", "distinct on", "window", "window"]
        )
        text, columns = self.joined(depth, 3, single=kind != "rows")
        where = f" WHERE {self.condition(columns, depth)}" if self.chance(0.6) else ""
        if kind == "rows":
            kept = [c for c in columns if c.mark or self.chance(0.6)] or columns[:1]
            return self.listed(kept, f" FROM {text}{where}")
        if kind == "window":
            return self.window(text, where, columns)
        units = self.units_of(columns)
        more = [c for c in columns if c not in units]
        keys = units + self.random.sample(more, min(len(more), self.one([0, 0, 1, 2])))
        if kind == "groups":
            group = ", ".join(c.name for c in keys)
            having = (
                f" HAVING {self.aggregate(columns)[0]} {self.one(['>', '>=', '=', '<'])} {self.random.randrange(4)}"
                if self.chance(0.3)
                else ""
            )
            made = [self.aggregate(columns) for _ in range(self.one([1, 1, 2]))]
            extra = [Column(sql, **known) for sql, known in made]
            return self.listed(keys + extra, f" FROM {text}{where} GROUP BY {group}{having}")
        if kind == "distinct":
            return self.listed(keys, f" FROM {text}{where}", "DISTINCT ")
        first = ", ".join(c.name for c in keys)
        order = ", ".join([c.name for c in keys] + [c.name + self.one(["", " DESC"]) for c in more])
        return self.listed(columns, f" FROM {text}{where} ORDER BY {order}", f"DISTINCT ON ({first}) ")

    def window(self, text, where, columns):
        units = self.units_of(columns)
        over = f"PARTITION BY {', '.join(c.name for c in units)}"
        shuffled = self.random.sample(columns, len(columns))
        whole = ", ".join(c.name + self.one(["", " DESC", " NULLS FIRST"]) for c in shuffled)
        peers = self.one(columns).name
        bounded = [c.name for c in columns if c.bounded] or ["1"]
        value = self.one(bounded)
        frame = self.one(
            [
                "",
                "",
                " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
                " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            ]
        )
        near = self.one([c.name for c in columns if c.kind == "number"] or ["1"]) + self.one(["", " DESC", " NULLS FIRST"])
        around = self.one(
            [
                " GROUPS 1 PRECEDING",
                " GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
                " RANGE 2 PRECEDING",
                " RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
                " RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING EXCLUDE TIES",
            ]
        )
        made = self.one(
            [
                f"row_number() OVER ({over} ORDER BY {whole})",
                f"rank() OVER ({over} ORDER BY {peers})",
                f"dense_rank() OVER ({over} ORDER BY {peers})",
                f"lag({value}) OVER ({over} ORDER BY {whole})",
                f"lead({value}, 2, 0) OVER ({over} ORDER BY {whole})",
                f"first_value({value}) OVER ({over} ORDER BY {whole})",
                f"nth_value({value}, 2) OVER ({over} ORDER BY {whole}{frame})",
                f"last_value({value}) OVER ({over} ORDER BY {whole} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
                f"sum({value}) OVER ({over} ORDER BY {peers})",
                f"count(*) OVER ({over})",
                f"count(*) OVER ({over} ORDER BY {near}{around})",
                f"sum({value}) OVER ({over} ORDER BY {near}{around})",
                f"max({value}) OVER ({over} ORDER BY {whole}{frame})",
                f"ntile(3) OVER ({over} ORDER BY {whole})",
                f"avg({value}) OVER ({over} ORDER BY {whole}{frame})",
            ]
        )
        kept = [c for c in columns if c.mark or self.chance(0.5)]
        return self.listed(kept + [Column(made, bounded=True)], f" FROM {text}{where}")

    def listed(self, columns, rest, distinct=""):
        self.names += 1
        names = [f"c{self.names}_{i}" for i in range(len(columns))]
        selected = ", ".join(f"{c.name} AS {name}" for c, name in zip(columns, names))
        given = [
            Column(name, c.kind, c.mark, c.bounded, c.grouped and "(" not in c.name, c.nullable)
            for c, name in zip(columns, names)
        ]
        return f"SELECT {distinct}{selected}{rest}", given

    def relation(self, depth):
        """A query, and its columns."""
        if not self.chance(0.2):
            return self.block(depth)
        for _ in range(20):
            (left, mine), (right, theirs) = self.side(depth), self.side(depth)
            shared = [(a, b) for a in mine for b in theirs if a.kind == b.kind and a.mark == b.mark]
            marked = [s for s in shared if s[0].mark in ("u", "q", "l")]
            if not marked and not self.chance(0.1):
                continue
            pairs = marked[:1] + [s for s in shared if not s[0].mark and self.chance(0.5)][:2]
            if not pairs:
                continue
            operation = self.one(["UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"])
            a, b = (
                f"SELECT {', '.join(f'{pair[i].name} AS s{n}' for n, pair in enumerate(pairs))} FROM {side}"
                for i, side in ((0, left), (1, right))
            )
            columns = [
                Column(
                    f"s{n}",
                    x.kind,
                    x.mark,
                    x.bounded and y.bounded,
                    x.grouped and y.grouped,
                    x.nullable or y.nullable,
                )
                for n, (x, y) in enumerate(pairs)
            ]
            return f"{a} {operation} {b}", columns
        return self.block(depth)

    def side(self, depth):
        text, columns = self.joined(depth, 2, single=True)
        return (f"{text} WHERE {self.comparison(columns)}" if self.chance(0.4) else text), columns

    # --- Statements ---

    def statement(self):
        depth = self.one([1, 1, 2, 2, 3])
        text, columns = self.joined(depth, 3)
        where = f" WHERE {self.condition(columns, depth)}" if self.chance(0.7) else ""
        bounded = [c for c in columns if c.bounded]
        asked = ["{count}(*) AS n"] + [
            f"{{sum}}({c.name}) AS s{i}" for i, c in enumerate(self.random.sample(bounded, min(3, len(bounded))))
        ]
        keys = [c.name for c in columns if c.grouped]
        key = self.one(keys) if keys and self.chance(0.5) else None
        begin = f"SELECT {key} AS k, " if key else "SELECT "
        made = f"{begin}{', '.join(asked)} FROM {text}{where}" + (f" GROUP BY {key}" if key else "")
        return made, int(bool(key))


if __name__ == "__main__":
    first, schemas, statements = map(int, sys.argv[1:4])
    function = sys.argv[4] if len(sys.argv) > 4 else "compare"
    for number in range(first, first + schemas):
        seeded = random.Random(number)
        print(f"SELECT setseed({seeded.random()}) \\g /dev/null")
        schema(f"s{number}", seeded)
        made = Statements(seeded)
        for _ in range(statements):
            text, keys = made.statement()
            print(f"SELECT {function}($q${text}$q$, {keys}) \\g /dev/null")
