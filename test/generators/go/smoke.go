// Drives every operation of a live service with the client that openapi-generator makes, and prints the name of each.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("SERVICE_URL")}}
	client := openapi.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), openapi.ContextAccessToken, os.Getenv("API_KEY"))
	agent := os.Getenv("AGENT_ID")
	now := time.Now().In(time.FixedZone("India", 19800)).Truncate(time.Second)

	// A field and a value of a later version of the service.
	later := openapi.AgentSummary{}
	err := json.Unmarshal([]byte(`{"id":"`+agent+`","name":"support-bot","status":"paused",`+
		`"created_at":"2026-11-02T09:30:00.000Z","colour":"red"}`), &later)
	check("", err, later.Status == "paused")

	agents, _, err := client.AgentsAPI.ListAgents(ctx).Sort("-created_at").Limit(100).Execute()
	check("listAgents", err, len(agents.GetData()) > 0)
	got, _, err := client.AgentsAPI.GetAgent(ctx, agent).Execute()
	check("getAgent", err, !got.GetData().ActiveDeploymentId.IsSet() || got.GetData().ActiveDeploymentId.Get() == nil)
	update := openapi.NewAgentUpdate()
	update.SetTemperature(0.5)
	updated, _, err := client.AgentsAPI.UpdateAgent(ctx, agent).AgentUpdate(*update).Execute()
	check("updateAgent", err, updated.GetData().Temperature == 0.5)
	reply, _, err := client.AgentsAPI.InvokeAgent(ctx, agent).
		InvocationRequest(*openapi.NewInvocationRequest("Room seven.")).Execute()
	check("invokeAgent", err, strings.Contains(reply.GetData().Response, "seven"))

	matches, _, err := client.MemoryAPI.SearchMemory(ctx, agent).MemorySearch(*openapi.NewMemorySearch("seven")).Execute()
	metadata := matches.GetData()[0].Metadata
	check("searchMemory", err, metadata.SessionId.Get() == nil && metadata.UserId.Get() == nil)
	cleared, _, err := client.MemoryAPI.ClearMemory(ctx, agent).Execute()
	check("clearMemory", err, cleared.GetData().Cleared > 0)

	deploy := func(version string) (openapi.Deployment, error) {
		made, _, err := client.DeploymentsAPI.CreateDeployment(ctx, agent).
			DeploymentRequest(*openapi.NewDeploymentRequest("production", version)).Execute()
		return made.GetData(), err
	}
	first, err := deploy("1")
	check("", err, first.ReplacedDeploymentId.Get() == nil && first.CreatedBy.Get() != nil)
	second, err := deploy("2")
	check("createDeployment", err, second.GetReplacedDeploymentId() == first.Id)
	deployments, _, err := client.DeploymentsAPI.ListDeployments(ctx, agent).Execute()
	withoutCreator := 0
	for _, deployment := range deployments.GetData() {
		if deployment.CreatedBy.Get() == nil {
			withoutCreator++
		}
	}
	check("listDeployments", err, withoutCreator == 1)
	active, _, err := client.DeploymentsAPI.RollbackDeployment(ctx, agent, second.Id).Execute()
	check("rollbackDeployment", err, active.GetData().Id == first.Id)

	start, end := now.Add(-time.Hour), now.Add(time.Hour)
	logs, _, err := client.LogsAPI.GetLogs(ctx, agent).StartTime(start).EndTime(end).Execute()
	check("getLogs", err, len(logs.GetData()) > 0 && logs.GetData()[0].Timestamp.After(start))
	series, _, err := client.MetricsAPI.GetMetrics(ctx, agent).Metric(openapi.THROUGHPUT).
		StartTime(start).EndTime(end).Granularity(openapi.FIVE_MINUTES).Execute()
	check("getMetrics", err, len(series.GetData().Values) > 0)

	subscription := openapi.NewWebhookRequest(os.Getenv("WEBHOOK_URL"), []openapi.EventType{openapi.AGENT_FAILED})
	subscription.SetAgentIdNil()
	webhook, _, err := client.WebhooksAPI.CreateWebhook(ctx).WebhookRequest(*subscription).Execute()
	check("createWebhook", err, webhook.GetData().AgentId.Get() == nil && webhook.GetData().LastDelivery.Get() == nil)
	webhooks, _, err := client.WebhooksAPI.ListWebhooks(ctx).Execute()
	listed := webhooks.GetData()[0]
	check("listWebhooks", err, listed.AgentId.Get() == nil && listed.LastDelivery.Get() == nil)
	removed, _, err := client.WebhooksAPI.DeleteWebhook(ctx, webhook.GetData().Id).Execute()
	check("deleteWebhook", err, removed.GetData().Deleted)

	request := openapi.NewApiKeyRequest("Smoke", []openapi.Permission{openapi.READ})
	request.SetAgentIdNil()
	request.SetExpiresAtNil()
	forever, _, err := client.KeysAPI.CreateApiKey(ctx).ApiKeyRequest(*request).Execute()
	key := forever.GetData()
	check("", err, key.AgentId.Get() == nil && key.ExpiresAt.Get() == nil && key.LastUsedAt.Get() == nil)
	tomorrow := now.Add(24 * time.Hour)
	request.SetAgentId(agent)
	request.SetExpiresAt(tomorrow)
	limited, _, err := client.KeysAPI.CreateApiKey(ctx).ApiKeyRequest(*request).Execute()
	check("createApiKey", err, limited.GetData().ExpiresAt.Get().Equal(tomorrow))
	keys, _, err := client.KeysAPI.ListApiKeys(ctx).Limit(100).Execute()
	withoutCreator = 0
	for _, key := range keys.GetData() {
		if key.CreatedBy.Get() == nil {
			withoutCreator++
		}
	}
	check("listApiKeys", err, withoutCreator == 1)
	revoked, _, err := client.KeysAPI.RevokeApiKey(ctx, key.Id).Execute()
	check("revokeApiKey", err, revoked.GetData().Revoked)

	deleted, _, err := client.AgentsAPI.DeleteAgent(ctx, agent).Execute()
	check("deleteAgent", err, deleted.GetData().Deleted)
}

// check prints the operation, or ends the program. An operation of two calls is named at the second.
func check(operation string, err error, isAsExpected bool) {
	if api, ok := err.(*openapi.GenericOpenAPIError); ok {
		log.Fatalf("%s: %v %s", operation, err, api.Body())
	}
	if err != nil || !isAsExpected {
		log.Fatalf("%s: unexpected answer, error %v", operation, err)
	}
	if operation != "" {
		fmt.Println(operation)
	}
}
