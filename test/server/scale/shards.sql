-- A table of numbers, classes and vectors, and all that the statistics aggregates make of it, for shards.test.sh. In
-- every database; rows come from one of them.
CREATE TABLE data (i int PRIMARY KEY, class int, x float8, v float8[]);
\set frame '1,4,2,0,1024, -90,-90, 90,90, 60,10,10,.02,.01,-.01,.03, 60,-30,10,.03,0,0,.03, 60,0,0,.02,0,0,.02, 40,5,-5,.02,0,.01,.02'
\set mixture :frame ', 0, 0,.5,-.5,0, 1,2,1,1'
CREATE VIEW shared.q_1000 AS
    SELECT dpmix_internal.lattice_sum(x, -1.5, 50 / 2.0 ^ 30, -1073741824, 1073741824) AS sums, dpmix_internal.lattice_squares(x, .5, .5, -180, 180) AS squares,
           dpmix_internal.class_moments(class, v, ARRAY[:frame]) AS moments, dpmix_internal.soft_moments(v, ARRAY[:mixture]) AS soft,
           dpmix_internal.class_distances(class, v, ARRAY[:frame, 100, 10000]) AS distances, dpmix_internal.class_clusters(class, v, ARRAY[:mixture, 4]) AS clusters,
           dpmix_internal.cells(v, ARRAY[:frame, 2, 8]) AS grid, dpmix_internal.cell_counts(x, '{-90,90,64}') AS cells, dpmix_internal.edge_counts(x, '{-Infinity,-50,0,12.5}') AS bins,
           dpmix_internal.feature_sample(v, ARRAY[1,1,2,1,1024, -90,-90, 90,90, 60,10,10,.02,.03, 50, 9]) AS sample, dpmix_internal.numbers_seen(i % 70, 64) AS seen, count(*) FILTER (WHERE x <> 'NaN') AS rows
      FROM data;
CREATE VIEW shared.q_1001 AS
    SELECT class AS k1, dpmix_internal.lattice_sum(x, -1.5, 50 / 2.0 ^ 30, -1073741824, 1073741824) AS sums, dpmix_internal.lattice_squares(x, .5, .5, -180, 180) AS squares,
           dpmix_internal.class_moments(0, v, ARRAY[:frame]) AS moments, dpmix_internal.cell_counts(x, '{-90,90,64}') AS cells,
           dpmix_internal.feature_sample(v, ARRAY[1,1,2,1,1024, -90,-90, 90,90, 60,10,10,.02,.03, 50, 9]) AS sample, count(*) AS rows
      FROM data GROUP BY class;
