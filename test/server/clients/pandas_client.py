"""pandas and SQLAlchemy over a facade: reflection, statements as text and of the expression language, both drivers."""

import pandas
import sqlalchemy as sa
from check import Charges, check

COLUMNS = ["id", "region", "sex", "education", "wage", "hours", "employed", "day", "seen", "note"]

for driver in ("psycopg", "psycopg2"):
    engine = sa.create_engine(f"postgresql+{driver}://ana@/postgres", isolation_level="AUTOCOMMIT")

    def count_charges():
        with engine.connect() as connection:
            return connection.execute(sa.text("SELECT public.charges()")).scalar()

    charges = Charges(count_charges)
    inspector = sa.inspect(engine)
    check(f"{driver}: the facade is listed", ["cps"], inspector.get_view_names("private"))
    check(f"{driver}: its columns", COLUMNS, [column["name"] for column in inspector.get_columns("cps", "private")])
    cps = sa.Table("cps", sa.MetaData(), schema="private", autoload_with=engine)
    charges.check(f"{driver}: reflection", 0)

    frame = pandas.read_sql("SELECT region, avg(wage) AS wage, count(*) AS people FROM private.cps GROUP BY region", engine, index_col="region")
    check(f"{driver}: a data frame", [("wage", "float64"), ("people", "int64")], [(name, str(kind)) for name, kind in frame.dtypes.items()])
    check(f"{driver}: its means", True, frame["wage"].between(500, 1500).all().item())
    charges.check(f"{driver}: a data frame", 1)

    asked = (
        sa.select(cps.c.sex, sa.func.avg(cps.c.wage).label("wage"), sa.func.count().label("people"))
        .where(cps.c.education >= 12, cps.c.region.in_(["south", "west"]))
        .group_by(cps.c.sex)
        .having(sa.func.count() > 10)
        .order_by(cps.c.sex)
    )
    frame = pandas.read_sql(asked, engine)
    check(f"{driver}: the expression language", ["F", "M"], frame["sex"].tolist())
    charges.check(f"{driver}: the expression language", 1)

    employed = sa.select(cps).where(cps.c.employed).subquery()
    with engine.connect() as connection:
        people = connection.execute(sa.select(sa.func.count()).select_from(employed)).scalar()
        check(f"{driver}: the count of a subquery", True, 3000 < people < 3400)
    charges.check(f"{driver}: the count of a subquery", 1)

    chunks = pandas.read_sql("SELECT education, count(*) AS n FROM private.cps GROUP BY education", engine, chunksize=5)
    check(f"{driver}: chunks", 21, sum(len(chunk) for chunk in chunks))
    charges.check(f"{driver}: chunks", 1)

    seen = pandas.read_sql_table("cps", engine, schema="private")
    check(f"{driver}: read_sql_table has columns and no rows", (0, True), (len(seen), "wage" in seen.columns))
    charges.check(f"{driver}: read_sql_table has columns and no rows", 0)
    try:
        pandas.read_sql_query("SELECT * FROM private.cps WHERE id = 17", engine)
        check(f"{driver}: rows are refused", "an error", "rows")
    except sa.exc.DBAPIError as error:
        check(f"{driver}: rows are refused", "PV002", getattr(error.orig, "sqlstate", None) or error.orig.pgcode)
    charges.check(f"{driver}: rows are refused", 0)
    engine.dispose()
print("end")
