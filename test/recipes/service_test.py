import json, subprocess
import pytest, requests

@pytest.fixture
def service():
    command = ["adreport", "local-server", "--port", "0", "--json", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        yield json.loads(server.stdout.readline())
        server.terminate()

def test_a_report(service):
    def call(path, body):
        headers = {"Authorization": service["accounts"][0]["token"], "Accept": "application/json"}
        return requests.post(service["url"] + path, json=body, headers=headers)

    call("/__admin/faults", {"fault": "status:503:times=1"})
    window = {"since": 1780272000, "until": 1780358399}
    report = call("/buyer-reporting", {**window, "metrics": "displays"}).json()["response"]["report_id"]
    assert call("/status-reporting", {"id": report}).status_code == 503
    call("/__admin/faults", {"endpoint": "status", "times": 1, "answer": {"status": 202, "body": {"state": "QUEUED"}}})
    queued = call("/status-reporting", {"id": report})
    assert queued.status_code == 202 and queued.json() == {"state": "QUEUED"}
    call("/__admin/clock", {"advance": "1h"})
    assert call("/status-reporting", {"id": report}).json()["response"]["status"] == "ready"
    assert call("/download-reporting", {"id": report}).json()["data"][0]["displays"] > 0
    call("/__admin/reset", {})
    assert call("/status-reporting", {"id": report}).status_code == 404
