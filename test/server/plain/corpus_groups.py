"""The answered statements of a corpus, each over a facade and over a plain table of the same rows: every allowed
combination of the values of the columns that the statement names. PostgreSQL must give as many rows, with the same
values, for both: a group too many or too few is a row too many or too few.

    corpus_groups.py tables FILE...                SQL that makes the tables
    corpus_groups.py write private|every FILE      statements for psql, over facades or over plain tables
    corpus_groups.py compare FILE FACADE PLAIN     what psql printed for both: which answers differ
"""
import math
import re
import sys

# Of each column its allowed values, and how many they are. Half hours are the finest unit of time in the statements;
# the last second is allowed, too.
TIMES = """SELECT generate_series(timestamptz '2026-01-01 UTC', '2026-12-31 23:30 UTC', '30 min')
  UNION ALL SELECT '2026-12-31 23:59:59 UTC'"""
VALUES = {
    "region": ("SELECT unnest('{northeast,midwest,south,west}'::text[])", 4),
    "sex": ("SELECT unnest('{F,M}'::text[])", 2),
    "education": ("SELECT generate_series(0, 20)", 21),
    "wage": ("SELECT generate_series(0, 2500, 12.5)::float8", 201),
    "hours": ("SELECT generate_series(0, 80)", 81),
    "employed": ("SELECT unnest('{f,t}'::boolean[])", 2),
    "day": ("SELECT date '2026-01-01' + generate_series(0, 364)", 365),
    "seen": (TIMES, 17521),
    "note": ("SELECT unnest('{visit,call}'::text[])", 2),
}
# Where all would be too many: those of columns that sums and conditions are about.
FEW = {
    "wage": ("SELECT unnest('{0,120,640.5,2500}'::float8[])", 4),
    "hours": ("SELECT unnest('{0,20,36,80}'::int[])", 4),
    "education": ("SELECT unnest('{0,9,12,16,20}'::int[])", 5),
}
MOST_ROWS = 80000
UNNAMED = {"region": "'west'", "sex": "'F'", "education": "12", "wage": "500::float8", "hours": "30", "employed": "true",
           "day": "date '2026-06-01'", "seen": "timestamptz '2026-06-01 UTC'", "note": "'visit'"}
# The outermost buckets are for values beyond the bounds.
BEYOND = "SELECT unnest('{-1,2600}'::float8[]) UNION ALL "
# An outer join leaves NULL for regions that nobody declared.
ELSEWHERE = "SELECT 'elsewhere' UNION ALL "


def entries(file):
    """Title, expectation and text of each statement, or of several that belong together."""
    found = []
    for line in open(file, encoding="utf-8"):
        head = re.match(r"-- (answered|free|refused)(?: \d+)?: (.*)", line)
        if head:
            found.append([head[2].replace("'", ""), head[1], ""])
        elif found and not line.startswith("-- shows: "):
            found[-1][2] += line
    return found


def is_compared(kind, text):
    # Of the table that is made here; EXPLAIN shows a plan.
    return kind == "answered" and re.search(r"\bcps\b", text) and not re.search(r"\bEXPLAIN\b", text, re.I)


def named_columns(text):
    undeclared = [name for name, word in (("beyond", "width_bucket"), ("elsewhere", r"left join \S*regions"))
                  if re.search(word, text, re.I)]
    return tuple(c for c in VALUES if re.search(rf"\b{c}\b", text, re.I)) + tuple(undeclared)


def combinations(columns):
    chosen = {c: VALUES[c] for c in columns if c in VALUES}
    for few in FEW:
        if math.prod(rows for _, rows in chosen.values()) > MOST_ROWS and few in chosen:
            chosen[few] = FEW[few]
    if "beyond" in columns:
        chosen["wage"] = (BEYOND + chosen["wage"][0], 0)
    if "elsewhere" in columns:
        chosen["region"] = (ELSEWHERE + chosen["region"][0], 0)
    lists = " CROSS JOIN ".join(f"({values}) AS of_{c} ({c})" for c, (values, _) in chosen.items())
    shown = ", ".join(c if c in chosen else f"{UNNAMED[c]} AS {c}" for c in VALUES)
    # Some rows several times, so that groups differ in what is said of them; those of a text whose values are to be
    # found often.
    return f"""SELECT row_number() OVER () AS id, s.* FROM (SELECT {shown} FROM {lists or '(SELECT) AS one'}) AS s
  CROSS JOIN generate_series(1, 45) AS copy
  WHERE copy <= {40 if "note" in columns else 0} + CASE WHEN wage > 1000 OR hours > 36 THEN strpos('smwn', left(region, 1)) + (sex = 'F')::int ELSE 1 END"""


def table_of(columns):
    return "cps_" + ("_".join(columns) or "rows")


def tables(files):
    texts = [text for file in files for _, kind, text in entries(file) if is_compared(kind, text)]
    for columns in sorted(set(map(named_columns, texts))):
        name = table_of(columns)
        print(f"CREATE TABLE every.{name} AS {combinations(columns)};\nSELECT public.protect_every('{name}');")


def write(schema, file):
    for title, kind, text in entries(file):
        if kind == "refused":
            continue
        shown = title if is_compared(kind, text) else "-"
        if shown != "-":
            name = table_of(named_columns(text))
            aliased = re.search(r'"private"\."cps" (AS )?"cps"', text)
            text = re.sub(r'"?private"?\."?cps"?', f"{schema}.{name}", text)
            text = text if aliased else re.sub(r'(?<!\.)"cps"(?=\.)', f'"{name}"', text)
        print(f"\\echo '@@{shown}'\n{text}")


def number(field):
    try:
        return float(field)
    except ValueError:
        return None


def are_alike(a, b):
    """Texts, numbers of groups and numbers of rows are the same; sums and averages nearly."""
    x, y = number(a), number(b)
    if a == b or x is None or y is None:
        return a == b
    whole = re.fullmatch(r"-?\d{1,9}", a) and re.fullmatch(r"-?\d{1,9}", b)
    return not whole and abs(x - y) <= .02 * max(abs(x), abs(y), 1)


def read(file):
    parts, title = {}, "-"
    for line in open(file, encoding="utf-8").read().splitlines():
        if line.startswith("@@"):
            title = line[2:]
            parts.setdefault(title, [])
        elif not re.match(r"(psql:\S* )?(NOTICE|DETAIL|HINT|LINE|WARNING):", line):
            parts.setdefault(title, []).append(re.split("[|\t]", line))
    return parts


def in_order(rows):
    def place(field):
        return (1, 0, field) if number(field) is None else (0, round(number(field), 3), "")
    return sorted(rows, key=lambda row: [place(field) for field in row])


def first_difference(facade, plain):
    def errors(rows):
        return ["|".join(row) for row in rows if any("ERROR: " in field for field in row)]
    if errors(plain):  # dividing by zero, where the facade says NULL
        return None if "division by zero" in errors(plain)[0] else errors(plain)[0]
    if errors(facade):
        return errors(facade)[0]
    if len(facade) != len(plain):
        a, b = ({row[0] for row in rows} for rows in (facade, plain))
        return f"{len(facade)} rows in place of {len(plain)}: too many {sorted(a - b)[:4]}, missing {sorted(b - a)[:4]}"
    for a, b in zip(in_order(facade), in_order(plain)):
        if len(a) != len(b) or not all(map(are_alike, a, b)):
            return f"{a} in place of {b}"
    return None


def compare(file, facade, plain):
    a, b = read(facade), read(plain)
    titles = [title for title, kind, text in entries(file) if is_compared(kind, text)]
    differ = [(t, "not answered" if t not in a or t not in b else first_difference(a[t], b[t])) for t in titles]
    wrong = [f"{title}: {why}" for title, why in differ if why]
    print(f"{len(wrong)} of {len(titles)} differ, {sum(len(b.get(t, [])) for t in titles)} rows", *wrong, sep="\n")


if __name__ == "__main__":
    {"tables": lambda *files: tables(files), "write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
