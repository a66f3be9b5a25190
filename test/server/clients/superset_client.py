"""Apache Superset over a facade: its own code, asked as its pages ask it. Argument: the database's URI."""

import json
import sys

from check import Charges, check
from superset.app import create_app

app = create_app()
client = app.test_client()
HEADERS = {}


def call(method, path, body=None):
    answer = client.open(path, method=method, json=body, headers=HEADERS)
    return answer.status_code, answer.get_json(silent=True)


def errors(answer):
    """What of an answer is an error, as text."""
    status, body = answer
    said = [] if status < 400 else [f"{status} {json.dumps(body)[:400]}"]
    for result in (body or {}).get("result") or []:
        if isinstance(result, dict) and result.get("error"):
            said.append(str(result["error"])[:400])
    return "; ".join(said)


def rows(answer):
    return answer[1]["result"][0]["data"]


HEADERS["Authorization"] = "Bearer " + call(
    "POST", "/api/v1/security/login", {"username": "admin", "password": "admin", "provider": "db", "refresh": False}
)[1]["access_token"]

client.post("/login/", data={"username": "admin", "password": "admin"})  # some of its pages know a cookie alone
uri = sys.argv[1]
check("the connection is tested", "", errors(call("POST", "/api/v1/database/test_connection/", {"sqlalchemy_uri": uri, "database_name": "cps"})))
made = call("POST", "/api/v1/database/", {"database_name": "cps", "sqlalchemy_uri": uri, "expose_in_sqllab": True, "allow_ctas": True})
check("a database is made", "", errors(made))
database = made[1]["id"]


def count_charges():
    import psycopg2

    with psycopg2.connect(uri.replace("postgresql+psycopg2", "postgresql")) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT public.charges()")
        return cursor.fetchone()[0]


charges = Charges(count_charges)

# What its pages look at first ------------------------------------------------------------------------

check("schemas", True, "private" in call("GET", f"/api/v1/database/{database}/schemas/?q=(force:!t)")[1]["result"])
tables = call("GET", f"/api/v1/database/{database}/tables/?q=(force:!t,schema_name:private)")
check("tables of the schema", ["cps"], [table["value"] for table in tables[1]["result"]])
table = call("GET", f"/api/v1/database/{database}/table_metadata/?name=cps&schema=private")
check("its columns, indexes and keys", 10, len(table[1]["columns"]))
check("more of it", "", errors(call("GET", f"/api/v1/database/{database}/table_metadata/extra/?name=cps&schema=private")))
check("SELECT of all columns", "", errors(call("GET", f"/api/v1/database/{database}/select_star/cps/private/")))
check("functions", "", errors(call("GET", f"/api/v1/database/{database}/function_names/")))
made = call("POST", "/api/v1/dataset/", {"database": database, "schema": "private", "table_name": "cps"})
check("a dataset is made", "", errors(made))
dataset = made[1]["id"]
virtual_sql = "SELECT region, sex, wage, day, wage * 52 AS yearly FROM private.cps WHERE education >= 12"
made = call("POST", "/api/v1/dataset/", {"database": database, "schema": "private", "table_name": "virtual", "sql": virtual_sql})
check("a virtual dataset is made", "", errors(made))
virtual = made[1]["id"]
check("its columns are looked up", "", errors(call("PUT", f"/api/v1/dataset/{virtual}/refresh")))
columns = [column["column_name"] for column in call("GET", f"/api/v1/dataset/{virtual}")[1]["result"]["columns"]]
check("and are those of the text", ["day", "region", "sex", "wage", "yearly"], sorted(columns))
charges.check("all of that", 0)

for name, source in (("dataset", dataset), ("virtual dataset", virtual)):
    seen = call("POST", f"/datasource/samples?force=true&datasource_type=table&datasource_id={source}", {})
    check(f"samples of the {name}", "", errors(seen) or ("" if seen[1]["result"]["data"] == [] else "rows"))
    charges.check(f"samples of the {name}, which are counted", 1)
    values = call("GET", f"/api/v1/datasource/table/{source}/column/region/values/")
    check(f"values of a filter of the {name}", ["midwest", "northeast", "south", "west"], sorted(values[1]["result"]))

charges.check("values of filters", 0)

# SQL Lab ---------------------------------------------------------------------------------------------

for number, (name, sql, cost) in enumerate([
    ("a look at rows", "SELECT * FROM private.cps", 0),
    ("a question", "SELECT region, avg(wage) AS wage FROM private.cps GROUP BY region", 1),
    ("a question of a time range", "SELECT sex, count(*) AS n FROM private.cps WHERE day >= '2026-02-01' GROUP BY sex", 1),
]):
    answer = call("POST", "/api/v1/sqllab/execute/", {
        "database_id": database, "schema": "private", "sql": sql, "runAsync": False, "client_id": f"lab{number:07d}",
        "queryLimit": 1000, "expand_data": True, "select_as_cta": False, "tab": "1", "ctas_method": "TABLE"})
    check(f"SQL Lab: {name}", "", errors(answer))
    charges.check(f"SQL Lab: {name}", cost)

# Charts ----------------------------------------------------------------------------------------------


def metric(aggregate, column=None):
    if column is None:
        return {"expressionType": "SQL", "sqlExpression": aggregate, "label": aggregate}
    return {"expressionType": "SIMPLE", "aggregate": aggregate, "column": {"column_name": column}, "label": f"{aggregate}({column})"}


def chart(source=dataset, **query):
    asked = {"filters": [], "extras": {"having": "", "where": ""}, "columns": [], "metrics": [], "row_limit": 1000,
             "order_desc": True, "orderby": [], "annotation_layers": [], "applied_time_extras": {}, "url_params": {}, **query}
    return call("POST", "/api/v1/chart/data", {
        "datasource": {"id": source, "type": "table"}, "force": True, "queries": [asked], "result_format": "json", "result_type": "full"})


def axis(column, grain):
    return {"timeGrain": grain, "columnType": "BASE_AXIS", "sqlExpression": column, "label": column, "expressionType": "SQL"}


between = {"col": "day", "op": "TEMPORAL_RANGE", "val": "2026-01-01 : 2026-07-01"}
for name, cost, few, query in [
    ("big number", 1, 1, {"metrics": [metric("COUNT(*)")]}),
    ("big number of a time range", 1, 1, {"metrics": [metric("COUNT(*)")], "filters": [between]}),
    ("bars", 1, 4, {"columns": ["region"], "metrics": [metric("AVG", "wage")], "orderby": [[metric("AVG", "wage"), False]]}),
    ("pie of a filter", 1, 2, {"columns": ["sex"], "metrics": [metric("COUNT(*)")], "filters": [{"col": "region", "op": "IN", "val": ["west", "south"]}]}),
    ("several lines", 1, 24, {"columns": [axis("day", "P1M"), "sex"], "metrics": [metric("SUM", "wage")]}),
    ("a line by week", 1, 26, {"columns": [axis("day", "P1W")], "metrics": [metric("COUNT(*)")], "filters": [between]}),
    ("pivot table", 1, 8, {"columns": ["region", "sex"], "metrics": [metric("AVG", "hours"), metric("COUNT(*)")]}),
    ("a share as a metric", 1, 4, {"columns": ["region"], "metrics": [metric("SUM(CASE WHEN employed THEN 1 ELSE 0 END)::float / COUNT(*)")]}),
    ("HAVING and WHERE of the page", 1, 4, {"columns": ["region"], "metrics": [metric("COUNT(*)")], "extras": {"having": "COUNT(*) > 10", "where": "hours > 5"}}),
    ("distinct values", 1, 1, {"metrics": [metric("COUNT_DISTINCT", "sex")]}),
    ("the names of a filter", 0, 4, {"columns": ["region"]}),
    ("series under a limit", 2, 24, {"columns": [axis("day", "P1M"), "region"], "metrics": [metric("SUM", "wage")], "series_columns": ["region"],
                                     "series_limit": 2, "series_limit_metric": metric("SUM", "wage")}),
    ("rows of a table", 0, 0, {"columns": ["region", "wage"], "metrics": None}),
    ("the range of a numerical filter", 0, 1, {"metrics": [metric("MIN", "wage"), metric("MAX", "wage")]}),
    ("histogram", 1, 4, {"columns": [{"expressionType": "SQL", "label": "bin", "sqlExpression": "FLOOR((wage - 100) / 480) * 480 + 100"}],
                         "metrics": [metric("COUNT(*)")], "filters": [{"col": "wage", "op": ">=", "val": 100}, {"col": "wage", "op": "<=", "val": 2400}]}),
]:
    answer = chart(**query)
    check(name, "", errors(answer))
    if not errors(answer):
        check(f"{name}: rows", True, len(rows(answer)) >= few)
    charges.check(name, cost)

for name, cost, query in [
    ("virtual: bars", 1, {"columns": ["region"], "metrics": [metric("AVG", "yearly")]}),
    ("virtual: by month", 1, {"columns": [axis("day", "P1M")], "metrics": [metric("COUNT(*)")]}),
    ("virtual: pivot", 1, {"columns": ["region", "sex"], "metrics": [metric("COUNT(*)")], "filters": [between]}),
]:
    answer = chart(virtual, **query)
    check(name, "", errors(answer))
    charges.check(name, cost)
print("end")
