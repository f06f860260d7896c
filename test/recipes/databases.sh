#!/bin/sh
# A report in a database, and a folder of reports as one table.

# PostgreSQL: the header names the columns of a staging table, whose types the database is free to choose.
to_postgres() {
  adreport run --period "$1" --by DAILY,CAMPAIGN --metrics displays,revenueEuro \
    --columns date,campaignId,displays,revenueEuro --format csv |
    psql -v ON_ERROR_STOP=1 -c '\copy campaign_days from stdin csv header'
}

# SQLite: every file of the folder into one table; the first file's header names the columns.
to_sqlite() {
  for file in "$2"/date=*/part.csv; do
    if [ -s "$1" ]; then skip=--skip\ 1; else skip=; fi
    sqlite3 "$1" ".import --csv $skip $file reports"
  done
}

# DuckDB: the folder itself is the table, and date a column of it.
with_duckdb() {
  duckdb -csv -c "select date, sum(displays) as displays from read_csv('$1/*/part.csv', hive_partitioning = true) group by date order by date"
}

"$@"
