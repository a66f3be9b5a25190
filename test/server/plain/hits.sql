-- A table of page views as ClickBench has it: the columns that its statements use, with made-up rows. psql variables:
-- users, and views, the rows of all of them. The owner is the current role; ana may ask.
CREATE TABLE hits (watchid bigint NOT NULL PRIMARY KEY, userid bigint NOT NULL, counterid integer NOT NULL, clientip integer NOT NULL, regionid integer NOT NULL,
  eventtime timestamp NOT NULL, eventdate date NOT NULL, url text NOT NULL, referer text NOT NULL, title text NOT NULL, urlhash bigint NOT NULL,
  refererhash bigint NOT NULL, searchphrase text NOT NULL, searchengineid smallint NOT NULL, advengineid smallint NOT NULL, traficsourceid smallint NOT NULL,
  resolutionwidth smallint NOT NULL, windowclientwidth smallint NOT NULL, windowclientheight smallint NOT NULL, mobilephone smallint NOT NULL,
  mobilephonemodel text NOT NULL, isrefresh smallint NOT NULL, islink smallint NOT NULL, isdownload smallint NOT NULL, dontcounthits smallint NOT NULL);
INSERT INTO hits
SELECT 7000000000 + i, 435090932899640000 + i % :users, CASE WHEN i % 3 = 0 THEN 62 ELSE 1000 + i % 40 END, 1000 + u % 200, u % 50,
  timestamp '2013-07-01' + i % 44640 * interval '1 minute', date '2013-07-01' + i % 44640 / 1440, 'http://' || (ARRAY['google', 'yandex', 'example'])[1 + i % 3] || '.com/' || u % 20,
  CASE WHEN i % 2 = 0 THEN 'http://referer.com/' || u % 10 ELSE '' END, (ARRAY['Google', 'Page', 'Shop'])[1 + i % 3] || ' ' || u % 20, 2868770270353813600 + u % 40,
  3594120000172545450 + u % 30, CASE WHEN i % 4 = 0 THEN 'phrase ' || u % 25 ELSE '' END, CASE WHEN i % 4 = 0 THEN u % 5 ELSE 0 END, CASE WHEN i % 7 = 0 THEN 1 + u % 8 ELSE 0 END,
  u % 8 - 1, 800 + 40 * (u % 40), 600 + 20 * (u % 30), 400 + 20 * (u % 20), u % 4, CASE WHEN u % 4 = 0 THEN '' ELSE 'model ' || u % 12 END,
  (i % 10 = 0)::int, (i % 20 = 1)::int, (i % 50 = 2)::int, (i % 100 = 3)::int
FROM (SELECT i, i % :users AS u FROM generate_series(0, :views - 1) AS i) AS s;
SELECT dpmix.protect('hits', epsilon => 1e6, delta => .1, privacy_unit => 'userid', max_rows_per_unit => 10);
SELECT FROM dpmix.declare('hits', '{"eventtime": ["2013-07-01", "2013-08-01"], "eventdate": ["2013-07-01", "2013-07-31"],
  "resolutionwidth": [0, 4000], "windowclientwidth": [0, 4000], "windowclientheight": [0, 4000], "advengineid": [0, 100], "searchengineid": [0, 100],
  "traficsourceid": [-1, 10], "mobilephone": [0, 200], "isrefresh": [0, 1], "islink": [0, 1], "isdownload": [0, 1], "dontcounthits": [0, 1],
  "url": {"bounds": [0, 2000]}, "referer": {"bounds": [0, 2000]}}');
SELECT dpmix.grant_access('hits', 'ana');
SELECT dpmix.expose('hits', default_epsilon => 1, default_delta => 1e-7);
