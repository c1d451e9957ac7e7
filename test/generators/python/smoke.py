"""Drives every operation of a live service with the client that openapi-generator makes, and prints the name of each."""

import os
from datetime import datetime, timedelta, timezone

from openapi_client import (
    AgentsApi,
    AgentSummary,
    AgentUpdate,
    ApiClient,
    ApiKeyRequest,
    Configuration,
    DeploymentRequest,
    DeploymentsApi,
    EventType,
    Granularity,
    InvocationRequest,
    KeysApi,
    LogsApi,
    MemoryApi,
    MemorySearch,
    MetricName,
    MetricsApi,
    Permission,
    WebhookRequest,
    WebhooksApi,
)

client = ApiClient(
    Configuration(host=os.environ["SERVICE_URL"], access_token=os.environ["API_KEY"])
)
agent = os.environ["AGENT_ID"]
india = timezone(timedelta(hours=5, minutes=30))
now = datetime.now(india)


def passed(operation):
    print(operation, flush=True)


# A field and a value of a later version of the service.
later = AgentSummary.from_dict(
    {
        "id": agent,
        "name": "support-bot",
        "status": "paused",
        "created_at": "2026-11-02T09:30:00.000Z",
        "colour": "red",
    }
)
assert later.status == "paused"

agents = AgentsApi(client)
assert agent in [item.id for item in agents.list_agents(sort="-created_at", limit=100).data]
passed("listAgents")
assert agents.get_agent(agent).data.active_deployment_id is None
passed("getAgent")
assert agents.update_agent(agent, AgentUpdate(temperature=0.5)).data.temperature == 0.5
passed("updateAgent")
assert "seven" in agents.invoke_agent(agent, InvocationRequest(message="Room seven.")).data.response
passed("invokeAgent")

memory = MemoryApi(client)
match = memory.search_memory(agent, MemorySearch(query="seven")).data[0]
assert match.metadata.session_id is None and match.metadata.user_id is None
passed("searchMemory")
assert memory.clear_memory(agent).data.cleared > 0
passed("clearMemory")

deployments = DeploymentsApi(client)
request = DeploymentRequest(environment="production", version="1")
first = deployments.create_deployment(agent, request).data
assert first.replaced_deployment_id is None and first.created_by is not None
second = deployments.create_deployment(
    agent, DeploymentRequest(environment="production", version="2")
).data
assert second.replaced_deployment_id == first.id
passed("createDeployment")
listed = deployments.list_deployments(agent).data
assert None in [deployment.created_by for deployment in listed]
passed("listDeployments")
assert deployments.rollback_deployment(agent, second.id).data.id == first.id
passed("rollbackDeployment")

start, end = now - timedelta(hours=1), now + timedelta(hours=1)
logs = LogsApi(client).get_logs(agent, start_time=start, end_time=end)
assert logs.pagination.total > 0 and start < logs.data[0].timestamp < end
passed("getLogs")
series = MetricsApi(client).get_metrics(
    MetricName.THROUGHPUT,
    agent,
    start_time=start,
    end_time=end,
    granularity=Granularity.FIVE_MINUTES,
)
assert series.data.values
passed("getMetrics")

webhooks = WebhooksApi(client)
webhook = webhooks.create_webhook(
    WebhookRequest(agent_id=None, url=os.environ["WEBHOOK_URL"], events=[EventType.AGENT_FAILED])
).data
assert webhook.agent_id is None and webhook.last_delivery is None
passed("createWebhook")
found = [item for item in webhooks.list_webhooks().data if item.id == webhook.id][0]
assert found.agent_id is None and found.last_delivery is None
passed("listWebhooks")
assert webhooks.delete_webhook(webhook.id).data.deleted
passed("deleteWebhook")

keys = KeysApi(client)
forever = keys.create_api_key(
    ApiKeyRequest(agent_id=None, name="Smoke", permissions=[Permission.READ], expires_at=None)
).data
assert forever.agent_id is None and forever.expires_at is None and forever.last_used_at is None
tomorrow = now.replace(microsecond=0) + timedelta(days=1)
limited = keys.create_api_key(
    ApiKeyRequest(agent_id=agent, name="Smoke", permissions=[Permission.READ], expires_at=tomorrow)
).data
assert limited.agent_id == agent and limited.expires_at == tomorrow
passed("createApiKey")
assert None in [key.created_by for key in keys.list_api_keys(limit=100).data]
passed("listApiKeys")
assert keys.revoke_api_key(forever.id).data.revoked
passed("revokeApiKey")

assert agents.delete_agent(agent).data.deleted
passed("deleteAgent")
