-- Tables of TPC-H with values of its kinds, a generator of our own; :scale 1 has 1 500 customers and 60 000 lines.
-- What belongs to customers is protected, lines through their orders; the rest is public.
CREATE EXTENSION dpmix;
CREATE SCHEMA tpch;
SET search_path = tpch;
SELECT setseed(.3);
CREATE TABLE region(r_regionkey int PRIMARY KEY, r_name text NOT NULL);
CREATE TABLE nation(n_nationkey int PRIMARY KEY, n_name text NOT NULL, n_regionkey int NOT NULL);
CREATE TABLE supplier(s_suppkey int PRIMARY KEY, s_name text, s_address text, s_nationkey int, s_phone text,
    s_acctbal numeric, s_comment text);
CREATE TABLE part(p_partkey int PRIMARY KEY, p_name text, p_mfgr text, p_brand text, p_type text, p_size int,
    p_container text, p_retailprice numeric);
CREATE TABLE partsupp(ps_partkey int, ps_suppkey int, ps_availqty int, ps_supplycost numeric,
    PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE customer(c_custkey int PRIMARY KEY, c_name text, c_address text, c_nationkey int, c_phone text,
    c_acctbal numeric(15,2), c_mktsegment text, c_comment text);
CREATE TABLE orders(o_orderkey int PRIMARY KEY, o_custkey int NOT NULL, o_orderstatus text,
    o_totalprice numeric(15,2), o_orderdate date, o_orderpriority text, o_clerk text, o_shippriority int,
    o_comment text);
CREATE TABLE lineitem(l_orderkey int, l_partkey int, l_suppkey int, l_linenumber int, l_quantity numeric(15,2),
    l_extendedprice numeric(15,2), l_discount numeric(15,2), l_tax numeric(15,2), l_returnflag text,
    l_linestatus text, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct text,
    l_shipmode text, l_comment text);
INSERT INTO region SELECT i, (ARRAY['AFRICA','AMERICA','ASIA','EUROPE','MIDDLE EAST'])[i+1]
    FROM generate_series(0,4) i;
INSERT INTO nation SELECT i,
    (ARRAY['ALGERIA','ARGENTINA','BRAZIL','CANADA','EGYPT','ETHIOPIA','FRANCE','GERMANY','INDIA','INDONESIA',
      'IRAN','IRAQ','JAPAN','JORDAN','KENYA','MOROCCO','MOZAMBIQUE','PERU','CHINA','ROMANIA','SAUDI ARABIA',
      'VIETNAM','RUSSIA','UNITED KINGDOM','UNITED STATES'])[i+1], (ARRAY[0,1,1,1,4,0,3,3,2,2,4,4,2,4,0,0,0,1,2,3,
      4,2,3,3,1])[i+1] FROM generate_series(0,24) i;
INSERT INTO supplier SELECT i, 'Supplier#'||i, 'a', i%25, '12-'||i, (random()*10000)::numeric(15,2),
    CASE WHEN i%20=0 THEN 'Customer xx Complaints' ELSE 'ok' END FROM generate_series(1,100) i;
INSERT INTO part SELECT i, (ARRAY['almond','green','forest','blue'])[1+i%4]||' part'||i, 'M'||i%5,
    'Brand#'||(1+i%5)||(1+(i/5)%5),
    (ARRAY['PROMO','STANDARD','ECONOMY'])[1+i%3]||' '||(ARRAY['ANODIZED','BRUSHED'])[1+i%2]||
    ' '||(ARRAY['STEEL','TIN','BRASS'])[1+(i/6)%3], 1+i%50, (ARRAY['SM CASE','MED BOX','LG BOX','SM BOX',
    'MED BAG','LG PACK'])[1+i%6], 900+i%200 FROM generate_series(1,2000) i;
INSERT INTO partsupp SELECT i, 1+(i*7+j*25)%100, (random()*9999)::int, (random()*1000)::numeric(15,2)
    FROM generate_series(1,2000) i, generate_series(0,3) j;
INSERT INTO customer SELECT i, 'Customer#'||i, 'addr', (random()*24)::int, (10+(random()*24)::int)||'-555-'||i,
    (random()*11000-1000)::numeric(15,2),
    (ARRAY['BUILDING','AUTOMOBILE','MACHINERY','HOUSEHOLD','FURNITURE'])[1+i%5], 'c' FROM generate_series(1,
    1500 * :scale) i;
INSERT INTO orders SELECT i, 1+(random()*(1000*:scale-1))::int, (ARRAY['F','O','P'])[1+i%3],
    (random()*400000)::numeric(15,2), date '1992-01-01'+(random()*2400)::int,
    (ARRAY['1-URGENT','2-HIGH','3-MEDIUM','4-NOT SPECIFIED','5-LOW'])[1+i%5], 'clerk', 0,
    CASE WHEN i%50=0 THEN 'special handling requests' ELSE 'none' END FROM generate_series(1, 15000 * :scale) i;
INSERT INTO lineitem SELECT o, p, 1+(p*7+(k%4)*25)%100, k, 1+(q*49)::int, (900+p%200)*(1+(q*49)::int),
    (d*10)::int/100.0, (t*8)::int/100.0, (ARRAY['R','A','N'])[1+(o+k)%3], (ARRAY['O','F'])[1+(o+k)%2],
    od+1+(s*120)::int, od+30+(c*60)::int, od+1+(s*120)::int+1+(r*29)::int,
    (ARRAY['DELIVER IN PERSON','COLLECT COD','NONE'])[1+k%3],
    (ARRAY['MAIL','SHIP','AIR','AIR REG','RAIL','TRUCK','FOB'])[1+(o+k)%7], 'x' FROM (SELECT o_orderkey o,
    o_orderdate od, k, 1+(random()*1999)::int p, random() q, random() d, random() t, random() s, random() c,
    random() r FROM orders, generate_series(1,4) k) z;
ANALYZE;
SELECT dpmix.create_population('customers', 1e7, .1, accountant => 'basic');
SELECT dpmix.protect('customer', population => 'customers', privacy_unit => 'c_custkey');
SELECT dpmix.protect('orders', population => 'customers', privacy_unit => 'o_custkey', max_rows_per_unit => 40);
SELECT dpmix.protect('lineitem', population => 'customers', unit_through => 'orders', link => '{l_orderkey}',
    target_key => '{o_orderkey}', max_rows_per_unit => 160);
SELECT dpmix.declare_public(t) FROM unnest('{region,nation,supplier,part,partsupp}'::regclass[]) t;
SELECT dpmix.set_bounds('customer','c_acctbal',-1000,10000),
    dpmix.set_categories('customer','c_mktsegment','{BUILDING,AUTOMOBILE,MACHINERY,HOUSEHOLD,FURNITURE}');
SELECT dpmix.set_bounds('orders','o_totalprice',0,400000),
    dpmix.set_categories('orders','o_orderpriority','{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}'),
    dpmix.set_categories('orders','o_orderstatus','{F,O,P}'),
    dpmix.set_bounds('orders', 'o_orderdate', date '1992-01-01', date '1998-12-31');
SELECT dpmix.set_bounds('lineitem','l_quantity',0,50), dpmix.set_bounds('lineitem','l_extendedprice',0,60000),
    dpmix.set_bounds('lineitem','l_discount',0,.1), dpmix.set_bounds('lineitem','l_tax',0,.08),
    dpmix.set_categories('lineitem','l_returnflag','{R,A,N}'),
    dpmix.set_categories('lineitem','l_linestatus','{O,F}'),
    dpmix.set_categories('lineitem','l_shipmode','{MAIL,SHIP,AIR,AIR REG,RAIL,TRUCK,FOB}'),
    dpmix.set_bounds('lineitem', 'l_shipdate', date '1992-01-01', date '1998-12-31');
SELECT dpmix.expose(t::regclass, 'private.' || t, default_epsilon => 1e4)
FROM unnest('{customer,orders,lineitem}'::text[]) t;
