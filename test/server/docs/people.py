# Asks each question of a page in database `exact`, of facades at a large epsilon and of the tables; and in database
# `page`, at the page's own price, for the noise that it states.
import re
import subprocess
import sys


def psql(database, role, statements):
    done = subprocess.run(["psql", "-XAtqF|", "-v", "ON_ERROR_STOP=1", "-U", role, "-d", database], input=statements,
                          capture_output=True, text=True)
    return [line.split("|") for line in done.stdout.splitlines()], done.stderr


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def are_close(private, exact):
    one, other = number(private), number(exact)
    if one is None or other is None:
        return private == exact
    return abs(one - other) <= 0.01 * max(1, abs(other))


def values(rows):  # arrays are several
    return [[part for cell in row for part in cell.strip("{}").split(",")] for row in rows]


def differences(private, exact):
    """Groups are compared by all columns but counts of nobody, which plain SQL leaves out."""
    private = sorted(row for row in values(private) if len(row) == 1 or any(number(x) != 0 for x in row[1:]))
    exact = sorted(values(exact))
    if len(private) != len(exact):
        return [(private, exact)]
    return [(one, other) for one, other in zip(private, exact) if not all(map(are_close, one, other))]


def told(name, right, found):
    print(("ok - " if right else "not ok - ") + name + ("" if right else f": {found}"))


page = open(sys.argv[1]).read()
asked = re.findall(r"^\*\*(\d+)\. ([^\n]*)\n\n```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
told("questions are found", len(asked) > 30, len(asked))
for place, title, sql in asked:
    # Of several the widest: that of a quantile hangs on the noise itself.
    stated = [float(x) for x in re.findall(r"± (?:[0-9.]+ to )?([0-9]+(?:\.[0-9]+)?)", title)]
    if stated:
        said = psql("page", "ana", "SET client_min_messages = notice; " + sql)[1]
        widths = re.search(r"95% intervals: ([^\n]*)", said)
        widest = [float(x) for x in re.findall(r"(?:\+/- |to )([0-9.e+]*[0-9])", widths[1])] if widths else []
        told(f"question {place} has the noise that the page says",
             any(0.6 * width < max(stated) < 1.4 * width for width in widest), said)

    private, error = psql("exact", "ana", "SET dpmix.epsilon = 10000; " + sql)
    exact, trouble = psql("exact", "office", sql.replace("private.", ""))
    wrong = differences(private, exact)
    told(f"question {place} has PostgreSQL's answer", private and not wrong and not error, wrong or error or trouble)
