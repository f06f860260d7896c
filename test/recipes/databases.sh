#!/usr/bin/env bash
# Reports in a database: first the file, whole, then one transaction that replaces its days. A download that fails leaves
# the database as it was, and the same line can run again as often as it must: no row comes twice, and none is lost.
#   databases.sh to_postgres 2026-11-01 2026-11-30
#   databases.sh to_sqlite reports.db 2026-11-01 2026-11-30
set -euo pipefail

columns='date text, campaign_id text, displays integer, revenue_euro numeric'

fetch() { # FIRST_DAY LAST_DAY
  adreport run --since "$1" --until "$2" --by DAILY,CAMPAIGN --metrics displays,revenueEuro --strict \
    --columns date,campaignId,displays,revenueEuro -o campaign-days.csv -q
}

to_postgres() { # FIRST_DAY LAST_DAY
  fetch "$1" "$2"
  psql -qX -v ON_ERROR_STOP=1 -v first="$1" -v last="$2" <<'SQL'
begin;
create table if not exists campaign_days (
  date date, campaign_id text, displays bigint, revenue_euro numeric, primary key (date, campaign_id)
);
create temp table staging (like campaign_days) on commit drop;
\copy staging from 'campaign-days.csv' with (format csv, header true)
delete from campaign_days where date between :'first' and :'last';
insert into campaign_days select * from staging;
commit;
SQL
}

to_sqlite() { # DATABASE FIRST_DAY LAST_DAY
  fetch "$2" "$3"
  sqlite3 -bail "$1" <<SQL
create table if not exists campaign_days ($columns, primary key (date, campaign_id));
create temp table staging ($columns);
.import --csv --skip 1 --schema temp campaign-days.csv staging
begin;
delete from campaign_days where date between '$2' and '$3';
insert into campaign_days select * from staging;
commit;
SQL
}

# The folder that cron fills is a table as it stands; `create or replace table` copies it in one transaction.
with_duckdb() { # FOLDER
  duckdb -csv reports.duckdb <<SQL
create or replace view reports as select * from read_csv('$1/*/part.csv', hive_partitioning = true);
create or replace table days as select date, sum(displays) as displays from reports group by date;
from days order by date;
SQL
}

"$@"
