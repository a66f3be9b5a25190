# Sourced by calibration_cache.test.sh and bench/noise/calibration_cache.sh: a probe that looks into the
# cache of calibrations. After lib/charges.sh.
calibration_probe() {  # database: builds the probe and makes its functions there
  cluster_probe calibration_probe -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
  psql -X -q -d "$1" <<'SQL'
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE FUNCTION shared_calibration(mechanism text, epsilon float8, delta float8, sensitivity float8,
                                   components int DEFAULT 0, on_lattice boolean DEFAULT false) RETURNS float8
    LANGUAGE c STRICT AS '$libdir/calibration_probe';
CREATE FUNCTION calibration_time(mechanism text, epsilon float8, delta float8, sensitivity float8, repeats int)
    RETURNS float8 LANGUAGE c STRICT AS '$libdir/calibration_probe';
CREATE FUNCTION use_up_shared_memory() RETURNS void LANGUAGE c AS '$libdir/calibration_probe';
SQL
}
