// pgjdbc over a facade: metadata, statements, prepared statements in both modes, fetch size, errors.
import java.sql.*;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

public class JdbcClient {
    static Connection connection;
    static long seen;

    static void check(String name, Object expected, Object actual) {
        System.out.println(Objects.equals(expected, actual)
            ? "ok - " + name : "not ok - " + name + ": expected " + expected + ", got " + actual);
    }

    static long charges() throws SQLException {
        try (Statement s = connection.createStatement(); ResultSet r = s.executeQuery("SELECT public.charges()")) {
            r.next();
            return r.getLong(1);
        }
    }

    static void charged(String name, long expected) throws SQLException {
        long now = charges();
        check(name + ": charges", expected, now - seen);
        seen = now;
    }

    static List<String> first(ResultSet rows) throws SQLException {
        List<String> values = new ArrayList<>();
        while (rows.next()) values.add(rows.getString(1));
        return values;
    }

    static List<String> named(ResultSet rows, String column) throws SQLException {
        List<String> values = new ArrayList<>();
        while (rows.next()) values.add(rows.getString(column));
        return values;
    }

    public static void main(String[] arguments) throws Exception {
        List<String> regions = List.of("midwest", "northeast", "south", "west");
        connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + arguments[0] + "/postgres?user=ana");
        seen = charges();

        DatabaseMetaData data = connection.getMetaData();
        check("getTables", List.of("cps"), named(data.getTables(null, "private", "%", new String[] {"VIEW"}), "TABLE_NAME"));
        check("getColumns", 10, named(data.getColumns(null, "private", "cps", "%"), "COLUMN_NAME").size());
        check("getPrimaryKeys", List.of(), named(data.getPrimaryKeys(null, "private", "cps"), "COLUMN_NAME"));
        check("getIndexInfo", List.of(), named(data.getIndexInfo(null, "private", "cps", false, true), "INDEX_NAME"));
        check("getTablePrivileges", true, named(data.getTablePrivileges(null, "private", "cps"), "PRIVILEGE").contains("SELECT"));
        charged("metadata", 0);

        try (Statement s = connection.createStatement()) {
            ResultSet r = s.executeQuery("SELECT region, avg(wage), count(*), avg(hours) FROM private.cps GROUP BY region ORDER BY region");
            ResultSetMetaData types = r.getMetaData();
            check("types", "text float8 int8 numeric", types.getColumnTypeName(1) + " " + types.getColumnTypeName(2) + " "
                + types.getColumnTypeName(3) + " " + types.getColumnTypeName(4));
            check("an ordinary SELECT", regions, first(r));
            check("a warning of the charge", true, s.getWarnings() != null && s.getWarnings().getMessage().contains("charge"));
        }
        charged("an ordinary SELECT", 1);

        // The fifth execution makes the driver prepare it at the server, and results come in binary.
        try (PreparedStatement p = connection.prepareStatement("SELECT avg(wage), count(*) FROM private.cps WHERE education >= ? AND sex = ? AND day >= ?")) {
            boolean plausible = true;
            for (int least = 0; least < 8; ++least) {
                p.setInt(1, least);
                p.setString(2, "F");
                p.setDate(3, Date.valueOf("2026-02-01"));
                ResultSet r = p.executeQuery();
                r.next();
                plausible = plausible && r.getDouble(1) > 500 && r.getDouble(1) < 1500 && r.getLong(2) > 500;
            }
            check("a prepared statement", true, plausible);
        }
        charged("a prepared statement, each execution", 8);

        try (PreparedStatement p = connection.prepareStatement("SELECT region, sum(wage) FROM private.cps WHERE hours > ? GROUP BY region ORDER BY region")) {
            check("described before it runs", "float8", p.getMetaData().getColumnTypeName(2));
            charged("described before it runs", 0);
            p.setInt(1, 10);
            p.setMaxRows(2);
            check("no more rows than asked for", regions.subList(0, 2), first(p.executeQuery()));
        }
        charged("no more rows than asked for", 1);

        connection.setAutoCommit(false);
        try (Statement s = connection.createStatement()) {
            s.setFetchSize(1);
            check("by parts", regions, first(s.executeQuery("SELECT region, count(*) FROM private.cps GROUP BY region ORDER BY region")));
        }
        connection.rollback();
        connection.setAutoCommit(true);
        charged("by parts, in a transaction that is rolled back", 1);

        try (Statement s = connection.createStatement()) {
            s.executeQuery("SELECT * FROM private.cps WHERE id = 17");
            check("rows are refused", "an error", "rows");
        } catch (SQLException error) {
            check("rows are refused", "PV002", error.getSQLState());
            check("rows are refused, with a hint", true, error.getMessage().contains("Hint: "));
        }
        charged("rows are refused", 0);
        connection.close();
        System.out.println("end");
    }
}
