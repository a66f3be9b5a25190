"""Statements of files of psql's, one by one, as an analyst, in a session for each file: which were charged, and which of
these were errors. postgres.py FILE..."""
import collections
import os
import re
import subprocess
import sys
import threading

SKIPPED = re.compile(r"pg_sleep|pg_terminate_backend|\bcopy\b.*\bstdin\b", re.I | re.S)


def without_comments(text):
    """Comments may stand in comments."""
    kept, depth, begun = [], 0, 0
    for found in re.finditer(r"""'(?:[^']|'')*'|(\$\w*\$).*?\1|--[^\n]*|/\*|\*/""", text, re.S):
        before = depth
        depth += (found[0] == "/*") - (found[0] == "*/" and depth > 0)
        if before == 0 and depth == 1:
            kept.append(text[begun:found.start()])
        elif before == 1 and depth == 0:
            begun = found.end()
    return "".join(kept) + (text[begun:] if depth == 0 else "")


def statements_of(text):
    """What psql would send: its own commands are left out, and what COPY reads."""
    text = without_comments(text)
    at, begun, depth, atomic = 0, 0, 0, False
    token = re.compile(r"""--[^\n]*|/\*.*?\*/|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$).*?\1|\\[^\n]*|[()]|;|\w+|.""", re.S)
    while (found := token.match(text, at)) is not None:
        word, at = found[0], found.end()
        depth += (word == "(") - (word == ")")
        if word.lower() == "atomic":
            atomic = True
        elif atomic and word.lower() == "end":
            atomic = False
        if word.startswith("\\") or (word == ";" and depth <= 0 and not atomic):
            statement = text[begun:found.start()].strip()
            if statement:
                yield statement
            begun, depth = at, 0
            if re.match(r"copy\b.*\bfrom\s+stdin", re.sub(r"(--[^\n]*\n|\s)+", " ", statement).strip(), re.I):
                end = text.find("\n\\.\n", at)
                at = begun = len(text) if end < 0 else end + 4


class Session:
    def __init__(self, user, more=""):
        environment = dict(os.environ, PGUSER=user, PGOPTIONS=more)
        self.psql = subprocess.Popen(["psql", "-XqAt", "-v", "VERBOSITY=verbose"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, errors="replace", env=environment)
        self.gave_up = False

    def ask(self, statement):
        self.psql.stdin.write(statement + "\n;\n\\echo\n\\echo <end> :ERROR :SQLSTATE\n")
        self.psql.stdin.flush()
        lines = []
        watch = threading.Timer(30, self.give_up)  # psql waits for the end of what it takes for unfinished
        watch.start()
        try:
            for line in self.psql.stdout:
                if line.startswith("<end> "):
                    return "".join(lines), line.split()[1:]
                lines.append(line)
        finally:
            watch.cancel()
        raise EOFError("".join(lines[-3:]))

    def give_up(self):
        self.gave_up = True
        self.psql.kill()


def main():
    owner = Session("postgres")

    def analyst_session():
        return Session("ana", "-c statement_timeout=5s -c search_path=own,doors -c client_min_messages=error")

    def charges():
        return int(owner.ask("SELECT count(*) FROM dpmix.charge")[0])
    tables = re.compile(r"\b(" + "|".join(owner.ask("SELECT string_agg(viewname, '|') FROM pg_views WHERE schemaname = 'doors'")[0].split()) + r")\b", re.I)
    asked = about = charged = wrong = 0
    ends = collections.Counter()
    for path in sys.argv[1:]:
        analyst = analyst_session()
        with open(path, errors="replace") as file:
            for statement in statements_of(file.read()):
                if SKIPPED.search(statement):
                    continue
                names = tables.search(statement) is not None
                before = charges() if names else 0
                try:
                    said, (error, state) = analyst.ask(statement)
                except (EOFError, BrokenPipeError) as lost:
                    print(f"{'unfinished' if analyst.gave_up else 'lost'} in {os.path.basename(path)}: {statement[:300]}\n    {lost}", flush=True)
                    wrong += not analyst.gave_up
                    analyst = analyst_session()
                    continue
                asked += 1
                ends["of others" if not names else state if state.startswith("PV") or state == "00000" else "other"] += 1
                about += names
                more = charges() - before if names else 0
                charged += more > 0
                if error == "true" and more > 0:
                    wrong += 1
                    print(f"charged, and {state} in {os.path.basename(path)}: {statement[:500]}\n    {said[-300:].strip()}", flush=True)
        print(f"{os.path.basename(path)}: {asked} statements, {about} of protected tables, {charged} charged", file=sys.stderr, flush=True)
        analyst.psql.stdin.close()
        analyst.psql.wait()
    print(", ".join(f"{state}: {times}" for state, times in ends.most_common()))
    print(f"{asked} statements, {about} of protected tables, {charged} answers that were charged, {wrong} errors after a charge")


if __name__ == "__main__":
    main()
