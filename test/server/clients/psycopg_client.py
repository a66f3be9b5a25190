"""psycopg 3 over a facade: bound by the server and by the client, prepared, in binary, by cursors, pipelines and COPY."""

from decimal import Decimal

import psycopg
from check import Charges, check

REGIONS = ["midwest", "northeast", "south", "west"]
WAGES = "SELECT region, avg(wage), count(*), sum(hours), avg(hours) FROM private.cps GROUP BY region ORDER BY region"

connection = psycopg.connect(user="ana", autocommit=True)
notices = []
connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
charges = Charges(lambda: connection.execute("SELECT public.charges()").fetchone()[0])

cursor = connection.execute(WAGES)
rows = cursor.fetchall()
check("an ordinary SELECT", REGIONS, [row[0] for row in rows])
check("its types", {(str, float, int, int, Decimal)}, {tuple(map(type, row)) for row in rows})
check("its described types", ["text", "float8", "int8", "int8", "numeric"], [column.type_display for column in cursor.description])
charges.check("an ordinary SELECT", 1)
check("a notice of the charge", True, any("charge" in notice for notice in notices))

bound = "SELECT count(*) FROM private.cps WHERE education >= %s AND sex = %s AND day >= %s AND region = ANY (%s)"
values = (12, "F", "2026-02-01", ["south", "west"])
people = connection.execute(bound, values).fetchone()[0]
check("parameters bound by the server", True, 100 < people < 1000)
charges.check("parameters bound by the server", 1)
people = psycopg.ClientCursor(connection).execute(bound, values).fetchone()[0]
check("parameters bound by the client", True, 100 < people < 1000)
charges.check("parameters bound by the client", 1)

for least in range(8):
    connection.execute("SELECT avg(wage) FROM private.cps WHERE education >= %s", (least,), prepare=True).fetchone()
check("prepared by the server", 1, len([row for row in connection.execute("SELECT * FROM pg_prepared_statements") if "avg(wage)" in row[1]]))
charges.check("prepared, each execution", 8)

rows = connection.execute("SELECT sex, avg(wage), sum(hours) FROM private.cps GROUP BY sex ORDER BY sex", binary=True).fetchall()
check("in binary", ["F", "M"], [row[0] for row in rows])
check("in binary, a mean", True, all(500 < row[1] < 1500 for row in rows))
charges.check("in binary", 1)

with connection.transaction(), connection.cursor(name="by_parts") as cursor:
    cursor.execute("SELECT region, count(*) FROM private.cps WHERE employed GROUP BY region ORDER BY region")
    check("a cursor of the server, by parts", REGIONS, [row[0] for _ in range(2) for row in cursor.fetchmany(2)])
charges.check("a cursor of the server", 1)

with connection.cursor() as cursor, connection.transaction():
    answers = [row[0] for row in cursor.stream("SELECT sex FROM private.cps GROUP BY sex HAVING count(*) > %s ORDER BY sex", (1,))]
    check("row by row", ["F", "M"], answers)
charges.check("row by row", 1)

if psycopg.Pipeline.is_supported():
    with connection.pipeline():
        first = connection.execute("SELECT count(*) FROM private.cps WHERE hours > %s", (10,))
        second = connection.execute("SELECT count(*) FROM private.cps WHERE hours > %s", (20,))
        check("a pipeline", True, first.fetchone()[0] > second.fetchone()[0] > 0)
    charges.check("a pipeline", 2)

with connection.cursor() as cursor, cursor.copy("COPY (SELECT sex, count(*) FROM private.cps GROUP BY sex ORDER BY sex) TO STDOUT") as copy:
    check("COPY", ["F", "M"], [row[0] for row in copy.rows()])
charges.check("COPY", 1)

try:
    connection.execute("SELECT * FROM private.cps WHERE id = %s", (17,))
    check("rows are refused", "an error", "rows")
except psycopg.Error as error:
    check("rows are refused", "PV002", error.sqlstate)
    check("rows are refused, with a hint", True, bool(error.diag.message_hint))
charges.check("rows are refused", 0)

try:
    connection.execute("SELECT dpmix.relase_tree(%s, %s)", ("m", "cps"))
    check("a wrong call is refused", "an error", "rows")
except psycopg.Error as error:
    check("a wrong call is told the right one", True, error.diag.message_hint.startswith("Write dpmix.release_tree(name text, "))

connection.autocommit = False
check("a transaction", True, connection.execute("SELECT count(*) FROM private.cps WHERE sex = 'M'").fetchone()[0] > 1000)
connection.rollback()
charges.check("a transaction that is rolled back", 1)
print("end")
