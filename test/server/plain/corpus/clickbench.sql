-- The statements of ClickBench, a benchmark of analytic databases, over one table of page views (../hits.sql). How to
-- read this: ../corpus.test.sh. One setting for all: keys are declared where their values are public, and found where
-- not.

-- answered: 1 all rows
SELECT COUNT(*) FROM private.hits;

-- answered: 2 a condition
SELECT COUNT(*) FROM private.hits WHERE AdvEngineID <> 0;

-- answered: 3 sums and averages
SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM private.hits;

-- refused: 4 an average of ids
SELECT AVG(UserID) FROM private.hits;

-- answered: 5 users
SELECT COUNT(DISTINCT UserID) FROM private.hits;

-- answered: 6 different texts
SELECT COUNT(DISTINCT SearchPhrase) FROM private.hits;

-- refused: 7 the first and the last day
SELECT MIN(EventDate), MAX(EventDate) FROM private.hits;

-- answered: 8 a declared key
SELECT AdvEngineID, COUNT(*) FROM private.hits WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC;

-- answered: 9 users by region
SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM private.hits GROUP BY RegionID ORDER BY u DESC LIMIT 10;

-- answered: 10 several aggregates by region
SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID) FROM private.hits GROUP BY RegionID ORDER BY c DESC LIMIT 10;

-- answered: 11 a text that is found
SELECT MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM private.hits WHERE MobilePhoneModel <> '' GROUP BY MobilePhoneModel ORDER BY u DESC LIMIT 10;

-- answered: 12 a number beside a text
SELECT MobilePhone, MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM private.hits WHERE MobilePhoneModel <> ''
GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC LIMIT 10;

-- answered: 13 phrases
SELECT SearchPhrase, COUNT(*) AS c FROM private.hits WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;

-- answered: 14 phrases by users
SELECT SearchPhrase, COUNT(DISTINCT UserID) AS u FROM private.hits WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY u DESC LIMIT 10;

-- answered: 15 phrases of engines
SELECT SearchEngineID, SearchPhrase, COUNT(*) AS c FROM private.hits WHERE SearchPhrase <> ''
GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC LIMIT 10;

-- refused: 16 groups by users
SELECT UserID, COUNT(*) FROM private.hits GROUP BY UserID ORDER BY COUNT(*) DESC LIMIT 10;

-- refused: 17 groups by users and phrases
SELECT UserID, SearchPhrase, COUNT(*) FROM private.hits GROUP BY UserID, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10;

-- refused: 18 any of these groups
SELECT UserID, SearchPhrase, COUNT(*) FROM private.hits GROUP BY UserID, SearchPhrase LIMIT 10;

-- refused: 19 groups by users and minutes
SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM private.hits GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10;

-- refused: 20 a user
SELECT UserID FROM private.hits WHERE UserID = 435090932899640449;

-- answered: 21 a part of a text
SELECT COUNT(*) FROM private.hits WHERE URL LIKE '%google%';

-- refused: 22 a least text
SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM private.hits WHERE URL LIKE '%google%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;

-- refused: 23 two least texts
SELECT SearchPhrase, MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID) FROM private.hits
WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;

-- refused: 24 rows
SELECT * FROM private.hits WHERE URL LIKE '%google%' ORDER BY EventTime LIMIT 10;

-- refused: 25 phrases of the first rows
SELECT SearchPhrase FROM private.hits WHERE SearchPhrase <> '' ORDER BY EventTime LIMIT 10;

-- refused: 26 first phrases
SELECT SearchPhrase FROM private.hits WHERE SearchPhrase <> '' ORDER BY SearchPhrase LIMIT 10;

-- refused: 27 phrases in two orders
SELECT SearchPhrase FROM private.hits WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10;

-- answered: 28 lengths of addresses
SELECT CounterID, AVG(length(URL)) AS l, COUNT(*) AS c FROM private.hits WHERE URL <> '' GROUP BY CounterID HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25;

-- refused: 29 hosts of referers, and a least text
SELECT REGEXP_REPLACE(Referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k, AVG(length(Referer)) AS l, COUNT(*) AS c, MIN(Referer)
FROM private.hits WHERE Referer <> '' GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25;

-- answered: 30 ninety sums of one column
SELECT SUM(ResolutionWidth), SUM(ResolutionWidth + 1), SUM(ResolutionWidth + 2), SUM(ResolutionWidth + 3),
  SUM(ResolutionWidth + 4), SUM(ResolutionWidth + 5), SUM(ResolutionWidth + 6), SUM(ResolutionWidth + 7),
  SUM(ResolutionWidth + 8), SUM(ResolutionWidth + 9), SUM(ResolutionWidth + 10), SUM(ResolutionWidth + 11),
  SUM(ResolutionWidth + 12), SUM(ResolutionWidth + 13), SUM(ResolutionWidth + 14), SUM(ResolutionWidth + 15),
  SUM(ResolutionWidth + 16), SUM(ResolutionWidth + 17), SUM(ResolutionWidth + 18), SUM(ResolutionWidth + 19),
  SUM(ResolutionWidth + 20), SUM(ResolutionWidth + 21), SUM(ResolutionWidth + 22), SUM(ResolutionWidth + 23),
  SUM(ResolutionWidth + 24), SUM(ResolutionWidth + 25), SUM(ResolutionWidth + 26), SUM(ResolutionWidth + 27),
  SUM(ResolutionWidth + 28), SUM(ResolutionWidth + 29), SUM(ResolutionWidth + 30), SUM(ResolutionWidth + 31),
  SUM(ResolutionWidth + 32), SUM(ResolutionWidth + 33), SUM(ResolutionWidth + 34), SUM(ResolutionWidth + 35),
  SUM(ResolutionWidth + 36), SUM(ResolutionWidth + 37), SUM(ResolutionWidth + 38), SUM(ResolutionWidth + 39),
  SUM(ResolutionWidth + 40), SUM(ResolutionWidth + 41), SUM(ResolutionWidth + 42), SUM(ResolutionWidth + 43),
  SUM(ResolutionWidth + 44), SUM(ResolutionWidth + 45), SUM(ResolutionWidth + 46), SUM(ResolutionWidth + 47),
  SUM(ResolutionWidth + 48), SUM(ResolutionWidth + 49), SUM(ResolutionWidth + 50), SUM(ResolutionWidth + 51),
  SUM(ResolutionWidth + 52), SUM(ResolutionWidth + 53), SUM(ResolutionWidth + 54), SUM(ResolutionWidth + 55),
  SUM(ResolutionWidth + 56), SUM(ResolutionWidth + 57), SUM(ResolutionWidth + 58), SUM(ResolutionWidth + 59),
  SUM(ResolutionWidth + 60), SUM(ResolutionWidth + 61), SUM(ResolutionWidth + 62), SUM(ResolutionWidth + 63),
  SUM(ResolutionWidth + 64), SUM(ResolutionWidth + 65), SUM(ResolutionWidth + 66), SUM(ResolutionWidth + 67),
  SUM(ResolutionWidth + 68), SUM(ResolutionWidth + 69), SUM(ResolutionWidth + 70), SUM(ResolutionWidth + 71),
  SUM(ResolutionWidth + 72), SUM(ResolutionWidth + 73), SUM(ResolutionWidth + 74), SUM(ResolutionWidth + 75),
  SUM(ResolutionWidth + 76), SUM(ResolutionWidth + 77), SUM(ResolutionWidth + 78), SUM(ResolutionWidth + 79),
  SUM(ResolutionWidth + 80), SUM(ResolutionWidth + 81), SUM(ResolutionWidth + 82), SUM(ResolutionWidth + 83),
  SUM(ResolutionWidth + 84), SUM(ResolutionWidth + 85), SUM(ResolutionWidth + 86), SUM(ResolutionWidth + 87),
  SUM(ResolutionWidth + 88), SUM(ResolutionWidth + 89)
FROM private.hits;

-- answered: 31 engines and addresses of clients
SELECT SearchEngineID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM private.hits WHERE SearchPhrase <> ''
GROUP BY SearchEngineID, ClientIP ORDER BY c DESC LIMIT 10;

-- refused: 32 groups by rows that searched
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM private.hits WHERE SearchPhrase <> ''
GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10;

-- refused: 33 groups by rows
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM private.hits GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10;

-- answered: 34 pages
SELECT URL, COUNT(*) AS c FROM private.hits GROUP BY URL ORDER BY c DESC LIMIT 10;

-- answered: 35 pages and a constant
SELECT 1, URL, COUNT(*) AS c FROM private.hits GROUP BY 1, URL ORDER BY c DESC LIMIT 10;

-- answered: 36 an address and what is computed of it
SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, COUNT(*) AS c FROM private.hits
GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 ORDER BY c DESC LIMIT 10;

-- answered: 37 pages of a site in a month
SELECT URL, COUNT(*) AS PageViews FROM private.hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
AND DontCountHits = 0 AND IsRefresh = 0 AND URL <> '' GROUP BY URL ORDER BY PageViews DESC LIMIT 10;

-- answered: 38 titles of a site in a month
SELECT Title, COUNT(*) AS PageViews FROM private.hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
AND DontCountHits = 0 AND IsRefresh = 0 AND Title <> '' GROUP BY Title ORDER BY PageViews DESC LIMIT 10;

-- answered: 39 links of a site
SELECT URL, COUNT(*) AS PageViews FROM private.hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
AND IsRefresh = 0 AND IsLink <> 0 AND IsDownload = 0 GROUP BY URL ORDER BY PageViews DESC LIMIT 10 OFFSET 1000;

-- answered: 40 where visits come from
SELECT TraficSourceID, SearchEngineID, AdvEngineID, CASE WHEN (SearchEngineID = 0 AND AdvEngineID = 0) THEN Referer ELSE '' END AS Src, URL AS Dst,
COUNT(*) AS PageViews FROM private.hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND IsRefresh = 0
GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst ORDER BY PageViews DESC LIMIT 10 OFFSET 1000;

-- answered: 41 hashes of pages by day
SELECT URLHash, EventDate, COUNT(*) AS PageViews FROM private.hits WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'
AND IsRefresh = 0 AND TraficSourceID IN (-1, 6) AND RefererHash = 3594120000172545465 GROUP BY URLHash, EventDate ORDER BY PageViews DESC LIMIT 10 OFFSET 100;

-- answered: 42 sizes of windows
SELECT WindowClientWidth, WindowClientHeight, COUNT(*) AS PageViews FROM private.hits WHERE CounterID = 62 AND EventDate >= '2013-07-01'
AND EventDate <= '2013-07-31' AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash = 2868770270353813622
GROUP BY WindowClientWidth, WindowClientHeight ORDER BY PageViews DESC LIMIT 10 OFFSET 10000;

-- answered: 43 minutes of two days
SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM private.hits WHERE CounterID = 62 AND EventDate >= '2013-07-14'
AND EventDate <= '2013-07-15' AND IsRefresh = 0 AND DontCountHits = 0 GROUP BY DATE_TRUNC('minute', EventTime) ORDER BY DATE_TRUNC('minute', EventTime)
LIMIT 10 OFFSET 1000;
