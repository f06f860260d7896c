"""One task a day's partition; a task that is cleared fetches its day again."""

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG("adreport", schedule="15 6 * * *", catchup=True, max_active_runs=4) as dag:
    BashOperator(
        task_id="campaigns",
        bash_command="adreport run --period {{ data_interval_start | ds }} --by CAMPAIGN"
        " -o /srv/reports/date={{ data_interval_start | ds }}/part.csv",
        append_env=True,  # ADREPORT_BASE_URL, ADREPORT_EMAIL and ADREPORT_PASSWORD
        # 2, 3 and 4 will not get better by themselves: let only the others be tried again.
        retries=3,
    )
