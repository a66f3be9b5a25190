-- From 0.5.0 to 0.6.0.
\echo Use "ALTER EXTENSION dpmix UPDATE TO '0.6.0'" to load this file. \quit
