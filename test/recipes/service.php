<?php
$command = ['adreport', 'local-server', '--port', '0', '--json', '-q'];
$server = proc_open($command, [1 => ['pipe', 'w']], $pipes);
$service = json_decode(fgets($pipes[1]));

function call(string $path, array $body): object
{
    global $service;
    $headers = ['Accept: application/json', 'Content-Type: application/json'];
    $headers[] = 'Authorization: ' . $service->accounts[0]->token;
    $curl = curl_init($service->url . $path);
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => json_encode((object) $body),
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true,
    ]);
    $answer = json_decode(curl_exec($curl)) ?? (object) [];
    $answer->code = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    return $answer;
}

function expect(mixed $wanted, mixed $value): void
{
    if ($value !== $wanted) {
        throw new Exception('expected ' . json_encode($wanted) . ', not ' . json_encode($value));
    }
}

try {
    $window = ['since' => 1780272000, 'until' => 1780358399];
    $created = call('/buyer-reporting', $window + ['metrics' => 'displays']);
    $report = ['id' => $created->response->report_id];

    call('/__admin/faults', ['fault' => 'status:503:times=1']);
    expect(503, call('/status-reporting', $report)->code);

    $answer = ['status' => 202, 'body' => ['state' => 'QUEUED']];
    call('/__admin/faults', ['endpoint' => 'status', 'times' => 1, 'answer' => $answer]);
    $queued = call('/status-reporting', $report);
    expect([202, 'QUEUED'], [$queued->code, $queued->state]);

    call('/__admin/clock', ['advance' => '1h']);
    expect('ready', call('/status-reporting', $report)->response->status);
    expect(true, call('/download-reporting', $report)->data[0]->displays > 0);

    call('/__admin/reset', []);
    expect(404, call('/status-reporting', $report)->code);
    echo "passed\n";
} finally {
    proc_terminate($server);
}
