"""The data frame client, and the server of agents, asked by the protocol's own client."""

import asyncio
import os
import sys

from check import check

from dpmix import Analyst, Refused

QUESTION = "SELECT region, count(*) AS people, avg(wage) AS wage FROM private.cps GROUP BY region"


def frames():
    with Analyst("user=ana dbname=postgres") as analyst:
        check("the facade is found", ["private.cps"], [table["facade"] for table in analyst.tables()])
        facts = analyst.describe("private.cps")
        check("its columns are told", True, {"section": "column", "item": "wage"}.items() <= next(f for f in facts if f["item"] == "wage").items())
        before = analyst.budget()[0]["epsilon_spent"]
        [told] = analyst.preview(QUESTION, error=25)
        check("a preview tells the noise of each number", True, told["noise"]["count(*)"]["within"] <= 25 and len(told["noise"]) == 3)
        check("and is free", before, analyst.budget()[0]["epsilon_spent"])
        answer = analyst.ask(QUESTION, error=25)
        check("the answer costs what was told", told["charge"]["epsilon"], answer.charged["epsilon"])
        check("its intervals are as asked", True, answer.intervals["count(*)"][1] <= 25)
        frame = answer.frame()
        check("a data frame", ["region", "people", "wage"], list(frame.columns))
        check("of right numbers", True, frame["people"][:4].between(900, 1100).all().item())
        check("with what was charged", answer.charged, frame.attrs["charged"])
        check("of parameters", 1, len(analyst.ask("SELECT count(*) FROM private.cps WHERE region = %s", epsilon=1, parameters=["west"]).rows))
        check("what is public is free", None, analyst.ask("SELECT count(*) FROM regions").charged)
        for name, sql, code, action in (
            ("rows", "SELECT * FROM private.cps WHERE id = 17", "PV002", "rewrite"),
            ("what has no bounds", "SELECT avg(id) FROM private.cps", "PV003", "declare"),
            ("the table itself", "SELECT count(*) FROM public.cps", "42501", "access"),
            ("a change", "CREATE TABLE t (x int)", "25006", "rewrite"),
            ("two statements", "SELECT 1; SELECT 2", "42601", "rewrite"),
        ):
            try:
                analyst.ask(sql, epsilon=1)
                check(f"{name} is refused", "an error", "an answer")
            except Refused as refusal:
                check(f"{name} is refused", (code, action), (refusal.code, refusal.action))
        check("after all that it still answers", 1, len(analyst.ask("SELECT count(*) FROM private.cps", epsilon=1).rows))


async def agents():
    from mcp import Client, StdioServerParameters

    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "dpmix.agents", "user=agent dbname=postgres", "--epsilon-a-day", os.environ["A_DAY"]],
        env=dict(os.environ),
    )
    async with Client(started) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        check("its tools", {"tables", "describe", "preview", "ask", "budget"}, tools)

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            return result.structured_content or {"failed": [part.text for part in result.content]}

        check("tables", "private.cps", (await call("tables"))["tables"][0]["facade"])
        facts = (await call("describe", table="private.cps"))["facts"]
        check("describe", True, any(fact["item"] == "region" and "northeast" in fact["value"] for fact in facts))
        price = told = await call("preview", sql=QUESTION, error=25)
        check("preview tells the price", True, told["answers"][0]["charge"]["epsilon"] > 0)
        refused = (await call("preview", sql="SELECT avg(id) FROM private.cps"))["refused"]
        check("preview tells why not", ("PV003", "declare"), (refused["code"], refused["action"]))
        check("with what to do", True, "bounds" in refused["hint"].lower())
        told = await call("preview", sql="SELECT wage FROM private.cps WHERE id = 17")
        check("of rows it says that there are none", True, "aggregates" in told["said"])
        refused = (await call("ask", sql="SELECT wage FROM private.cps WHERE id = 17", epsilon=1))["refused"]
        check("and they are refused", ("PV002", "rewrite"), (refused["code"], refused["action"]))
        refused = (await call("ask", sql=QUESTION))["refused"]
        check("a question names its accuracy or its price", "change", refused["action"])
        answer = await call("ask", sql=QUESTION, error=30)
        check("ask answers", 5, len(answer["rows"]))
        check("with intervals", True, answer["intervals_95"]["count(*)"][1] <= 30)
        check("and what it cost", price["answers"][0]["charge"]["account"], answer["charged"]["account"])
        left = await call("budget")
        check("budget", True, left["epsilon_today"] >= answer["charged"]["epsilon"])
        refused = (await call("ask", sql="SELECT count(*) FROM private.cps WHERE education > 3", epsilon=1000))["refused"]
        check("what a day may take ends it", ("PV001", "stop"), (refused["code"], refused["action"]))
        check("and was not charged", left["epsilon_today"], (await call("budget"))["epsilon_today"])
        refused = (await call("describe", table="public.nothing"))["refused"]
        check("what is not there", "42P01", refused["code"])


frames()
asyncio.run(agents())
print("end")
