"""A difference's case made small: rows that both tables lose, and parts of the statement, as long as it still differs."""
import re

CLAUSES = [r" FILTER \(WHERE [^()]*(?:\([^()]*\)[^()]*)*\)", r" WHERE (?:(?! GROUP BY| HAVING| ORDER BY|\)| \$\$).)*", r" HAVING (?:(?!\)| \$\$).)*"]
SELECT_LIST = re.compile(r"(?<=\$\$ SELECT )(.*?)(?= FROM )")


def items_of(listed):
    """What commas outside of brackets part."""
    items, depth = [""], 0
    for letter in listed:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return items


def smaller_statements(statement):
    for clause in CLAUSES:
        for found in re.finditer(clause, statement):
            yield statement[:found.start()] + statement[found.end():]
    listed = SELECT_LIST.search(statement) if "query_json" in statement else None  # others name their columns
    items = items_of(listed[0]) if listed else []
    for i in range(len(items)) if len(items) > 1 else []:
        yield statement[:listed.start()] + ",".join(items[:i] + items[i + 1:]).strip() + statement[listed.end():]


def shrunk(differs, statement, parts):
    """differs(statement, gone): whether two releases do, where these rows are gone from both. parts: lists of rows that
    may go. Returns a statement, and the rows that are gone."""
    gone, size = [], (len(parts) + 1) // 2
    while size > 0 and parts:
        for at in range(0, len(parts), size):
            more = sum(parts[at:at + size], [])
            if more and differs(statement, gone + more):
                gone += more
                parts = parts[:at] + [[]] * len(parts[at:at + size]) + parts[at + size:]
        parts = [part for part in parts if part]
        size //= 2
    while True:
        smaller = next((s for s in smaller_statements(statement) if differs(s, gone)), None)
        if smaller is None:
            return statement, gone
        statement = smaller
