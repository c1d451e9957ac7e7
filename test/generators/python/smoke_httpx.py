"""Drives every operation of a live service with the client of openapi-python-client, and prints the name of each."""

import os
from datetime import datetime, timedelta, timezone

from agent_hosting_service_client import AuthenticatedClient
from agent_hosting_service_client import models as m
from agent_hosting_service_client.api.agents import (
    delete_agent,
    get_agent,
    invoke_agent,
    list_agents,
    update_agent,
)
from agent_hosting_service_client.api.deployments import (
    create_deployment,
    list_deployments,
    rollback_deployment,
)
from agent_hosting_service_client.api.keys import create_api_key, list_api_keys, revoke_api_key
from agent_hosting_service_client.api.logs import get_logs
from agent_hosting_service_client.api.memory import clear_memory, search_memory
from agent_hosting_service_client.api.metrics import get_metrics
from agent_hosting_service_client.api.webhooks import create_webhook, delete_webhook, list_webhooks

client = AuthenticatedClient(base_url=os.environ["SERVICE_URL"], token=os.environ["API_KEY"])
agent = os.environ["AGENT_ID"]
now = datetime.now(timezone(timedelta(hours=5, minutes=30))).replace(microsecond=0)


def data(operation, *path, **arguments):
    """What the operation answers with; an error has no data."""
    answer = operation.sync(*path, client=client, **arguments)
    assert not isinstance(answer, m.ErrorResponse), answer
    return answer.data


def passed(operation):
    print(operation, flush=True)


assert agent in [item.id for item in data(list_agents, sort=m.ListAgentsSort.CREATED_AT_DESC)]
passed("listAgents")
assert data(get_agent, agent).active_deployment_id is None
passed("getAgent")
assert data(update_agent, agent, body=m.AgentUpdate(temperature=0.5)).temperature == 0.5
passed("updateAgent")
message = m.InvocationRequest(message="Room seven.")
assert "seven" in data(invoke_agent, agent, body=message).response
passed("invokeAgent")

match = data(search_memory, agent, body=m.MemorySearch(query="seven"))[0]
assert match.metadata.session_id is None and match.metadata.user_id is None
passed("searchMemory")
assert data(clear_memory, agent).cleared > 0
passed("clearMemory")

first = data(create_deployment, agent, body=m.DeploymentRequest("production", "1"))
assert first.replaced_deployment_id is None and first.created_by is not None
second = data(create_deployment, agent, body=m.DeploymentRequest("production", "2"))
assert second.replaced_deployment_id == first.id
passed("createDeployment")
assert None in [deployment.created_by for deployment in data(list_deployments, agent)]
passed("listDeployments")
assert data(rollback_deployment, agent, second.id).id == first.id
passed("rollbackDeployment")

span = {"start_time": now - timedelta(hours=1), "end_time": now + timedelta(hours=1)}
assert span["start_time"] < data(get_logs, agent, **span)[0].timestamp < span["end_time"]
passed("getLogs")
series = data(
    get_metrics,
    agent,
    metric=m.MetricName.THROUGHPUT,
    granularity=m.Granularity.FIVE_MINUTES,
    **span,
)
assert series.values
passed("getMetrics")

subscription = m.WebhookRequest(
    agent_id=None, url=os.environ["WEBHOOK_URL"], events=[m.EventType.AGENT_FAILED]
)
webhook = data(create_webhook, body=subscription)
assert webhook.agent_id is None and webhook.last_delivery is None
passed("createWebhook")
assert data(list_webhooks)[0].last_delivery is None
passed("listWebhooks")
assert data(delete_webhook, webhook.id).deleted
passed("deleteWebhook")

request = m.ApiKeyRequest(
    agent_id=None, name="Smoke", permissions=[m.Permission.READ], expires_at=None
)
forever = data(create_api_key, body=request)
assert forever.agent_id is None and forever.expires_at is None and forever.last_used_at is None
request.expires_at = now + timedelta(days=1)
assert data(create_api_key, body=request).expires_at == request.expires_at
passed("createApiKey")
assert None in [key.created_by for key in data(list_api_keys)]
passed("listApiKeys")
assert data(revoke_api_key, forever.id).revoked
passed("revokeApiKey")

assert data(delete_agent, agent).deleted
passed("deleteAgent")
