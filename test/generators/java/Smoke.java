import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.*;

/** Drives every operation of a live service with the client that openapi-generator makes, and prints the name of each. */
public class Smoke {
    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.setBasePath(System.getenv("SERVICE_URL"));
        ((HttpBearerAuth) client.getAuthentication("apiKey")).setBearerToken(System.getenv("API_KEY"));
        String agent = System.getenv("AGENT_ID");
        OffsetDateTime now =
                OffsetDateTime.now(ZoneOffset.ofHoursMinutes(5, 30)).truncatedTo(ChronoUnit.SECONDS);
        try {
            drive(client, agent, now);
        } catch (ApiException error) {
            System.err.println(error.getResponseBody());
            throw error;
        }
    }

    static void drive(ApiClient client, String agent, OffsetDateTime now) throws Exception {
        // A field and a value of a later version of the service.
        AgentSummary later = AgentSummary.fromJson("{\"id\":\"" + agent + "\",\"name\":\"support-bot\","
                + "\"status\":\"paused\",\"created_at\":\"2026-11-02T09:30:00.000Z\",\"colour\":\"red\"}");
        check("", later.getStatus().equals("paused"));

        AgentsApi agents = new AgentsApi(client);
        check("listAgents", !agents.listAgents(100, null, "-created_at", null, null).getData().isEmpty());
        check("getAgent", agents.getAgent(agent).getData().getActiveDeploymentId() == null);
        Agent updated = agents.updateAgent(agent, new AgentUpdate().temperature(number("0.5")), null).getData();
        check("updateAgent", updated.getTemperature().compareTo(number("0.5")) == 0);
        InvocationRequest message = new InvocationRequest().message("Room seven.");
        check("invokeAgent", agents.invokeAgent(agent, message, null, null, null).getData().getResponse().contains("seven"));

        MemoryApi memory = new MemoryApi(client);
        MemoryMatch match = memory.searchMemory(agent, new MemorySearch().query("seven")).getData().get(0);
        check("searchMemory", match.getMetadata().getSessionId() == null && match.getMetadata().getUserId() == null);
        check("clearMemory", memory.clearMemory(agent).getData().getCleared() > 0);

        DeploymentsApi deployments = new DeploymentsApi(client);
        DeploymentRequest request = new DeploymentRequest().environment("production");
        Deployment first = deployments.createDeployment(agent, request.version("1"), null).getData();
        check("", first.getReplacedDeploymentId() == null && first.getCreatedBy() != null);
        Deployment second = deployments.createDeployment(agent, request.version("2"), null).getData();
        check("createDeployment", first.getId().equals(second.getReplacedDeploymentId()));
        check("listDeployments", deployments.listDeployments(agent, null, null, null, null, null).getData().stream()
                .anyMatch(deployment -> deployment.getCreatedBy() == null));
        Deployment active = deployments.rollbackDeployment(agent, second.getId(), null).getData();
        check("rollbackDeployment", active.getId().equals(first.getId()));

        OffsetDateTime start = now.minusHours(1);
        OffsetDateTime end = now.plusHours(1);
        LogList logs = new LogsApi(client).getLogs(agent, null, null, null, null, start, end);
        check("getLogs", logs.getData().get(0).getTimestamp().isAfter(start));
        MetricSeries series = new MetricsApi(client)
                .getMetrics(MetricName.THROUGHPUT, agent, start, end, Granularity.FIVE_MINUTES).getData();
        check("getMetrics", !series.getValues().isEmpty());

        WebhooksApi webhooks = new WebhooksApi(client);
        WebhookRequest subscription = new WebhookRequest()
                .agentId(null).url(java.net.URI.create(System.getenv("WEBHOOK_URL")))
                .events(Set.of(EventType.AGENT_FAILED));
        CreatedWebhook webhook = webhooks.createWebhook(subscription, null).getData();
        check("createWebhook", webhook.getAgentId() == null && webhook.getLastDelivery() == null);
        Webhook listed = webhooks.listWebhooks(null, null, null, null, null).getData().get(0);
        check("listWebhooks", listed.getAgentId() == null && listed.getLastDelivery() == null);
        check("deleteWebhook", webhooks.deleteWebhook(webhook.getId()).getData().getDeleted());

        KeysApi keys = new KeysApi(client);
        ApiKeyRequest wanted = new ApiKeyRequest().name("Smoke").permissions(Set.of(Permission.READ));
        CreatedApiKey forever = keys.createApiKey(wanted.agentId(null).expiresAt(null), null).getData();
        check("", forever.getAgentId() == null && forever.getExpiresAt() == null && forever.getLastUsedAt() == null);
        OffsetDateTime tomorrow = now.plusDays(1);
        CreatedApiKey limited = keys.createApiKey(wanted.agentId(agent).expiresAt(tomorrow), null).getData();
        check("createApiKey", limited.getExpiresAt().isEqual(tomorrow));
        check("listApiKeys", keys.listApiKeys(100, null, null, null).getData().stream()
                .anyMatch(key -> key.getCreatedBy() == null));
        check("revokeApiKey", keys.revokeApiKey(forever.getId()).getData().getRevoked());

        check("deleteAgent", agents.deleteAgent(agent, null).getData().getDeleted());
    }

    static java.math.BigDecimal number(String text) {
        return new java.math.BigDecimal(text);
    }

    /** Prints the operation, or ends the program. An operation of two calls is named at the second. */
    static void check(String operation, boolean isAsExpected) {
        if (!isAsExpected) throw new IllegalStateException("Unexpected answer: " + operation);
        if (!operation.isEmpty()) System.out.println(operation);
    }
}
