// node-postgres over a facade: statements, parameters, named statements, errors.
const { Client } = require('pg');

function check(name, expected, actual) {
  const [wanted, seen] = [JSON.stringify(expected), JSON.stringify(actual)];
  console.log(wanted === seen ? `ok - ${name}` : `not ok - ${name}: expected ${wanted}, got ${seen}`);
}

async function main() {
  const client = new Client({ user: 'ana', host: process.env.PGHOST, database: 'postgres' });
  await client.connect();
  const notices = [];
  client.on('notice', (notice) => notices.push(notice.message));
  const counted = async () => Number((await client.query('SELECT public.charges() AS n')).rows[0].n);
  let seen = await counted();
  const charged = async (name, expected) => {
    const now = await counted();
    check(`${name}: charges`, expected, now - seen);
    seen = now;
  };

  let answer = await client.query('SELECT region, avg(wage) AS wage, count(*)::int AS people FROM private.cps GROUP BY region ORDER BY region');
  check('an ordinary SELECT', ['midwest', 'northeast', 'south', 'west'], answer.rows.map((row) => row.region));
  check('its types', 'number number', `${typeof answer.rows[0].wage} ${typeof answer.rows[0].people}`);
  check('its described types', [25, 701, 23], answer.fields.map((field) => field.dataTypeID));
  check('a notice of the charge', true, notices.some((notice) => /charge/.test(notice)));
  await charged('an ordinary SELECT', 1);

  answer = await client.query('SELECT count(*) AS n FROM private.cps WHERE education >= $1 AND sex = $2 AND region = ANY ($3) AND day > $4',
    [12, 'F', ['south', 'west'], new Date('2026-02-01')]);
  check('parameters', true, answer.rows[0].n > 100);
  await charged('parameters', 1);

  for (let least = 0; least < 8; ++least) {
    await client.query({ name: 'people', text: 'SELECT avg(hours) FROM private.cps WHERE education >= $1', values: [least] });
  }
  await charged('a named statement, each execution', 8);

  answer = await client.query({ text: 'SELECT sex, count(*) AS n FROM private.cps GROUP BY sex ORDER BY sex', rowMode: 'array' });
  check('rows as arrays', ['F', 'M'], answer.rows.map((row) => row[0]));
  await charged('rows as arrays', 1);

  await client.query('BEGIN');
  await client.query("SELECT count(*) FROM private.cps WHERE sex = 'M'");
  await client.query('ROLLBACK');
  await charged('a transaction that is rolled back', 1);

  try {
    await client.query('SELECT * FROM private.cps WHERE id = $1', [17]);
    check('rows are refused', 'an error', 'rows');
  } catch (error) {
    check('rows are refused, with a hint', ['PV002', true], [error.code, Boolean(error.hint)]);
  }
  await charged('rows are refused', 0);
  await client.end();
  console.log('end');
}

main().catch((error) => console.log(`not ok - ${error.stack}`));
