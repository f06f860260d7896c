import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Run it with `java ServiceTest.java`, from Java 17 on. It needs no package. */
class ServiceTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private final String url;
    private final String token;

    ServiceTest(String ready) {
        url = textIn(ready, "url");
        token = textIn(ready, "token");
    }

    public static void main(String[] args) throws Exception {
        Process server =
            new ProcessBuilder("adreport", "local-server", "--port", "0", "--json", "-q").start();
        try (BufferedReader output = server.inputReader()) {
            new ServiceTest(output.readLine()).testReport();
            System.out.println("passed");
        } finally {
            server.destroy();
        }
    }

    void testReport() throws Exception {
        String order = "{'since':1780272000,'until':1780358399,'metrics':'displays'}";
        String id = textIn(call("/buyer-reporting", order).body(), "report_id");
        String report = "{'id':'" + id + "'}";

        call("/__admin/faults", "{'fault':'status:503:times=1'}");
        expect(503, call("/status-reporting", report).statusCode());

        String stub = "{'endpoint':'status','times':1,'answer':{'status':202,'body':{'state':'QUEUED'}}}";
        call("/__admin/faults", stub);
        HttpResponse<String> queued = call("/status-reporting", report);
        expect(202, queued.statusCode());
        expect("QUEUED", textIn(queued.body(), "state"));

        call("/__admin/clock", "{'advance':'1h'}");
        expect("ready", textIn(call("/status-reporting", report).body(), "status"));
        expect(200, call("/download-reporting", report).statusCode());

        call("/__admin/reset", "{}");
        expect(404, call("/status-reporting", report).statusCode());
    }

    private HttpResponse<String> call(String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
            .header("Authorization", token)
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
            .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** The first text of that name in JSON, which a real suite reads with a library. */
    private static String textIn(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        if (!found.find()) throw new AssertionError("no " + name + " in " + json);
        return found.group(1);
    }

    private static void expect(Object wanted, Object value) {
        if (!wanted.equals(value)) throw new AssertionError("expected " + wanted + ", not " + value);
    }
}
