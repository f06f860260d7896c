package example

import (
    "bytes"
    "encoding/json"
    "net/http"
    "os/exec"
    "testing"
)

type service struct {
    URL      string
    Accounts []struct{ Token string }
}

func start(t *testing.T) service {
    command := exec.Command("adreport", "local-server", "--port", "0", "--json", "-q")
    stdout, _ := command.StdoutPipe()
    if err := command.Start(); err != nil {
        t.Fatal(err)
    }
    t.Cleanup(func() { command.Process.Kill(); command.Wait() })

    var server service
    if err := json.NewDecoder(stdout).Decode(&server); err != nil {
        t.Fatal(err)
    }
    return server
}

type answer struct {
    Status   int
    Response struct {
        ReportID string `json:"report_id"`
        Status   string
    }
    Data  []struct{ Displays int }
    State string
}

func (s service) call(t *testing.T, path string, body map[string]any) answer {
    text, _ := json.Marshal(body)
    request, _ := http.NewRequest("POST", s.URL+path, bytes.NewReader(text))
    request.Header.Set("Authorization", s.Accounts[0].Token)
    request.Header.Set("Accept", "application/json")
    request.Header.Set("Content-Type", "application/json")
    response, err := http.DefaultClient.Do(request)
    if err != nil {
        t.Fatal(err)
    }
    defer response.Body.Close()

    result := answer{}
    json.NewDecoder(response.Body).Decode(&result)
    result.Status = response.StatusCode
    return result
}

func TestReport(t *testing.T) {
    server := start(t)
    order := map[string]any{"since": 1780272000, "until": 1780358399, "metrics": "displays"}
    report := map[string]any{"id": server.call(t, "/buyer-reporting", order).Response.ReportID}

    server.call(t, "/__admin/faults", map[string]any{"fault": "status:503:times=1"})
    if status := server.call(t, "/status-reporting", report).Status; status != 503 {
        t.Fatalf("the fault was not answered: %d", status)
    }

    answer := map[string]any{"status": 202, "body": map[string]any{"state": "QUEUED"}}
    stub := map[string]any{"endpoint": "status", "times": 1, "answer": answer}
    server.call(t, "/__admin/faults", stub)
    if queued := server.call(t, "/status-reporting", report); queued.Status != 202 || queued.State != "QUEUED" {
        t.Fatalf("the stubbed answer was not sent: %v", queued)
    }

    server.call(t, "/__admin/clock", map[string]any{"advance": "1h"})
    if state := server.call(t, "/status-reporting", report).Response.Status; state != "ready" {
        t.Fatalf("the report is %s", state)
    }
    if rows := server.call(t, "/download-reporting", report).Data; rows[0].Displays <= 0 {
        t.Fatalf("unexpected rows: %v", rows)
    }

    server.call(t, "/__admin/reset", map[string]any{})
    if status := server.call(t, "/status-reporting", report).Status; status != 404 {
        t.Fatalf("the report outlived the reset: %d", status)
    }
}
