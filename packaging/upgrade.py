#!/usr/bin/env python3
"""The upgrade script between two install scripts, as far as it can be told from them.

    packaging/upgrade.py OLD.sql NEW.sql [BY_HAND.sql]     (packaging/frozen.sh upgrade calls it)

Prints what BY_HAND.sql says; then, in the order of NEW.sql, what is new there, and those changed functions, views and
comments that PostgreSQL replaces in place. Whatever else changed or is gone (types, tables, indexes, signatures) is
written by hand: BY_HAND.sql has the statements, and a line for each object, as the complaint names it:

    -- by hand: table dpmix.charge

Fails, with the list, while something is not named, or is named for nothing. That a script makes the objects of a fresh
extension is what test/server/install/upgrade.test.sh compares.
"""
import re
import sys

# Statements end at a semicolon outside of quotes, comments and BEGIN ATOMIC.
TOKEN = re.compile(r"""--[^\n]* | ^\\[^\n]* | /\*.*?\*/ | E'(?:[^'\\]|''|\\.)*' | '(?:[^']|'')*' | "(?:[^"]|"")*"
                       | (?P<tag>\$\w*\$).*?(?P=tag) | \bBEGIN\ ATOMIC\b | \w+ | \s+ | .""", re.S | re.M | re.X)
MADE = re.compile(r"CREATE (?:OR REPLACE )?(?:UNIQUE )?"
                  r"(FUNCTION|PROCEDURE|AGGREGATE|VIEW|TABLE|TYPE|SCHEMA|EVENT TRIGGER|TRIGGER|INDEX) ([\w.]+)")
RIGHTS = re.compile(r"((?:GRANT|REVOKE) .*? ON (?:FUNCTION |SCHEMA |SEQUENCE |TYPE )?)(.*)( (?:TO|FROM) \w+)")


def tokens(text):
    return [match.group(0) for match in TOKEN.finditer(text)]


def plain(text):
    return " ".join(text.split())


def statements(text):
    said, depth = "", 0
    for token in tokens(text):
        if token.startswith(("--", "/*", "\\")):
            continue
        depth += (token == "BEGIN ATOMIC" or depth > 0 and token == "CASE") - (depth > 0 and token == "END")
        if token == ";" and depth == 0:
            yield said.strip()
            said = ""
        else:
            said += token
    if said.strip():
        sys.exit(f"upgrade: no end of {said.strip()[:60]!r}")


def listed(text):
    """What commas outside of parentheses part."""
    parts, depth = [""], 0
    for token in tokens(text):
        depth += (token in "([") - (token in ")]")
        if token == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return [plain(part) for part in parts if part.strip()]


def parenthesis(text):
    """The first one, without its ends, and what comes after it."""
    inside, depth, rest = "", 0, iter(tokens(text[text.index("("):]))
    for token in rest:
        depth += (token == "(") - (token == ")")
        if depth == 0:
            return inside[1:], "".join(rest)
        inside += token
    sys.exit(f"upgrade: no end of the arguments of {text[:60]!r}")


class Statement:
    """key: what it makes or says; kept: what must not be lost or changed for it to be replaced in place."""

    def __init__(self, text):
        self.text, self.words = text, plain(text)
        self.verb, self.kind, self.kept = self.words.split()[0], "", None
        made = MADE.match(self.words)
        comment = re.match(r"(COMMENT ON .*?) IS (?:E?'|NULL)", self.words)
        if made:
            self.kind, name = made.group(1).lower(), made.group(2)
            if self.kind in ("function", "procedure", "aggregate"):
                name = self.signature(name)
            elif self.kind == "index":
                name = self.words.split("INDEX ", 1)[1]
            elif self.kind == "trigger":
                name += re.search(r" ON [\w.]+", self.words).group(0)
            elif self.kind == "type" and "(" not in self.words:
                name += " (shell)"
            self.key = f"{self.kind} {name}"
        else:
            self.key = comment.group(1) if comment else self.words[:160]

    def signature(self, name):
        inside, rest = parenthesis(self.text)
        arguments = [re.split(r" DEFAULT | *= *", argument, maxsplit=1) for argument in listed(inside)]
        returns = re.match(r"\s*RETURNS (TABLE \(.*?\)|TABLE\(.*?\)|SETOF \S+|\S+)", rest, re.S)
        self.kept = (returns and plain(returns.group(1)), [len(argument) > 1 for argument in arguments])
        return f"{name}({', '.join(argument[0] for argument in arguments)})"

    def replaces(self, before):
        if self.verb == "COMMENT" or self.kind == "view":
            return True
        if self.kind not in ("function", "procedure") or self.kept[0] != before.kept[0]:
            return False
        return all(now or not then for then, now in zip(before.kept[1], self.kept[1]))

    def in_place(self):
        return re.sub(r"^CREATE (?!OR REPLACE)", "CREATE OR REPLACE ", self.text)


def read(text):
    """By key. Rights are told object by object."""
    found = {}
    for text in statements(text):
        rights = RIGHTS.fullmatch(plain(text))
        for each in [rights[1] + on + rights[3] for on in listed(rights[2])] if rights else [text]:
            statement = Statement(each)
            if statement.key in found:
                sys.exit(f"upgrade: said twice: {statement.key}")
            found[statement.key] = statement
    return found


def upgrade(old, new, by_hand):
    """The statements, and the keys of what must be written by hand."""
    script = []
    hard = {key for key, statement in old.items() if key not in new and statement.verb != "COMMENT"}
    for key, statement in new.items():
        before = old.get(key)
        if before is None:
            script.append(statement.text)
        elif before.words != statement.words:
            if key not in by_hand and statement.replaces(before):
                script.append(statement.in_place())
            else:
                hard.add(key)
    return script, hard


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    old, new, *more = [open(path, encoding="utf-8").read() for path in sys.argv[1:]]
    by_hand = "".join(more).strip()
    named = set(re.findall(r"^-- by hand: (.*?)\s*$", by_hand, re.M))
    script, hard = upgrade(read(old), read(new), named)
    for key in sorted(hard - named):
        print(f"upgrade: to be written by hand: {key}", file=sys.stderr)
    for key in sorted(named - hard):
        print(f"upgrade: named for nothing: {key}", file=sys.stderr)
    if hard != named:
        sys.exit(1)
    made = "-- The rest is made by packaging/upgrade.py: what is new, and what PostgreSQL replaces in place."
    print("\n\n".join(([by_hand] if by_hand else []) + [made] + [text + ";" for text in script]))


if __name__ == "__main__":
    main()
