// Generated from spec/ by npm run generate. Do not edit.

/** The constraints of the contract's schemas as JSON Schema keywords, by the name of the schema. */
export const constraints = {
    "AgentReference": {
        "pattern": "^(agent_[0-7][0-9a-hjkmnp-tv-z]{25}|[a-z][a-z0-9-]{0,62})$",
        "maxLength": 63
    },
    "UserMessage": {
        "pattern": "\\S",
        "minLength": 1,
        "maxLength": 100000
    },
    "UserId": {
        "minLength": 1,
        "maxLength": 256
    },
    "SessionId": {
        "minLength": 1,
        "maxLength": 256
    },
    "Environment": {
        "pattern": "^[a-z][a-z0-9-]{0,31}$",
        "maxLength": 32
    },
    "RequestId": {
        "pattern": "^req_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 30
    },
    "CallId": {
        "pattern": "^call_[1-9][0-9]{0,3}$",
        "maxLength": 9
    },
    "ApprovalDecision": {
        "properties": {
            "decision": {
                "enum": [
                    "approve",
                    "reject"
                ]
            },
            "note": {
                "minLength": 1,
                "maxLength": 2000
            }
        }
    },
    "InvocationResume": {
        "properties": {
            "decisions": {
                "minItems": 1,
                "maxItems": 32
            }
        }
    },
    "TokenCount": {
        "minimum": 0,
        "maximum": 2147483647
    },
    "DurationMs": {
        "minimum": 0,
        "maximum": 86400000
    },
    "InvocationStatus": {
        "enum": [
            "completed",
            "requires_approval"
        ]
    },
    "FinishReason": {
        "enum": [
            "stop",
            "length",
            "content_filter",
            "steps"
        ]
    },
    "TokenUsage": {
        "properties": {
            "input_tokens": {
                "minimum": 0,
                "maximum": 2147483647
            },
            "output_tokens": {
                "minimum": 0,
                "maximum": 2147483647
            },
            "cached_input_tokens": {
                "minimum": 0,
                "maximum": 2147483647
            },
            "reasoning_tokens": {
                "minimum": 0,
                "maximum": 2147483647
            }
        }
    },
    "ToolName": {
        "pattern": "^[A-Za-z0-9_-]{1,64}$",
        "maxLength": 64
    },
    "Approver": {
        "enum": [
            "caller",
            "manage"
        ]
    },
    "Timestamp": {
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
        "maxLength": 24
    },
    "PendingApprovals": {
        "minItems": 1,
        "maxItems": 32
    },
    "Invocation": {
        "properties": {
            "response": {
                "maxLength": 262144
            }
        }
    },
    "InvocationEventId": {
        "pattern": "^[A-Za-z0-9_-]{1,64}\\.[1-9][0-9]{0,8}$",
        "minLength": 3,
        "maxLength": 74
    },
    "InvocationDelta": {
        "properties": {
            "text": {
                "minLength": 1,
                "maxLength": 262144
            }
        }
    },
    "InvocationToolCall": {
        "properties": {
            "status": {
                "enum": [
                    "started",
                    "succeeded",
                    "failed"
                ]
            }
        }
    },
    "ErrorCode": {
        "enum": [
            "invalid_request",
            "unauthorized",
            "forbidden",
            "not_found",
            "method_not_allowed",
            "conflict",
            "payload_too_large",
            "unsupported_media_type",
            "idempotency_mismatch",
            "rate_limited",
            "server_error",
            "upstream_error",
            "unavailable",
            "timeout"
        ]
    },
    "FieldProblem": {
        "properties": {
            "field": {
                "minLength": 1,
                "maxLength": 512
            },
            "error": {
                "minLength": 1,
                "maxLength": 1000
            }
        }
    },
    "ErrorDetail": {
        "properties": {
            "message": {
                "minLength": 1,
                "maxLength": 1000
            },
            "retry_after": {
                "minimum": 1,
                "maximum": 2678400
            },
            "details": {
                "minItems": 1,
                "maxItems": 100
            }
        }
    },
    "AgentName": {
        "pattern": "^[a-z][a-z0-9-]{0,62}$",
        "maxLength": 63
    },
    "AgentId": {
        "pattern": "^agent_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 32
    },
    "AgentStatus": {
        "enum": [
            "running",
            "stopped"
        ]
    },
    "Pagination": {
        "properties": {
            "limit": {
                "minimum": 1,
                "maximum": 1000
            },
            "offset": {
                "minimum": 0,
                "maximum": 1000000
            },
            "total": {
                "minimum": 0,
                "maximum": 9007199254740991
            }
        }
    },
    "AgentList": {
        "properties": {
            "data": {
                "maxItems": 100
            }
        }
    },
    "ModelName": {
        "pattern": "^[a-z][a-z0-9-]{0,31}/[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$",
        "maxLength": 160
    },
    "Temperature": {
        "minimum": 0,
        "maximum": 2
    },
    "Instructions": {
        "maxLength": 100000
    },
    "ScheduleName": {
        "pattern": "^[a-z][a-z0-9-]{0,62}$",
        "maxLength": 63
    },
    "CronExpression": {
        "pattern": "^[0-9A-Za-z*,/-]+( [0-9A-Za-z*,/-]+){4}$",
        "maxLength": 256
    },
    "TimeZone": {
        "pattern": "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$",
        "maxLength": 64
    },
    "ScheduleOutcome": {
        "enum": [
            "queued",
            "running",
            "succeeded",
            "failed",
            "waiting",
            "skipped"
        ]
    },
    "DeploymentId": {
        "pattern": "^dep_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 30
    },
    "Agent": {
        "properties": {
            "schedules": {
                "maxItems": 20
            }
        }
    },
    "VersionLabel": {
        "pattern": "^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$",
        "maxLength": 64
    },
    "DeploymentStatus": {
        "enum": [
            "active",
            "superseded",
            "rolled_back"
        ]
    },
    "KeyId": {
        "pattern": "^key_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 30
    },
    "DeploymentList": {
        "properties": {
            "data": {
                "maxItems": 100
            }
        }
    },
    "LogLevel": {
        "enum": [
            "debug",
            "info",
            "warn",
            "error"
        ]
    },
    "TimestampInput": {
        "maxLength": 64
    },
    "LogId": {
        "pattern": "^log_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 30
    },
    "LogEntry": {
        "properties": {
            "message": {
                "maxLength": 10000
            }
        }
    },
    "LogList": {
        "properties": {
            "data": {
                "maxItems": 1000
            }
        }
    },
    "MetricName": {
        "enum": [
            "response_time",
            "throughput",
            "error_rate",
            "token_usage"
        ]
    },
    "Granularity": {
        "enum": [
            "1m",
            "5m",
            "1h",
            "1d"
        ]
    },
    "MetricUnit": {
        "enum": [
            "ms",
            "requests_per_minute",
            "percent",
            "tokens"
        ]
    },
    "MetricValue": {
        "properties": {
            "value": {
                "minimum": 0,
                "maximum": 9007199254740991
            }
        }
    },
    "MetricSeries": {
        "properties": {
            "values": {
                "maxItems": 1500
            }
        }
    },
    "MemorySearch": {
        "properties": {
            "query": {
                "minLength": 1,
                "maxLength": 1000
            },
            "limit": {
                "minimum": 1,
                "maximum": 100
            }
        }
    },
    "MemoryId": {
        "pattern": "^mem_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 30
    },
    "MemoryMatch": {
        "properties": {
            "content": {
                "maxLength": 262144
            },
            "role": {
                "enum": [
                    "user",
                    "agent"
                ]
            },
            "score": {
                "minimum": 0,
                "maximum": 1
            }
        }
    },
    "MemoryMatchList": {
        "properties": {
            "data": {
                "maxItems": 100
            }
        }
    },
    "MemoryClearing": {
        "properties": {
            "cleared": {
                "minimum": 0,
                "maximum": 9007199254740991
            }
        }
    },
    "EventType": {
        "enum": [
            "agent.completed",
            "agent.failed",
            "agent.paused"
        ]
    },
    "WebhookId": {
        "pattern": "^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 29
    },
    "WebhookUrl": {
        "pattern": "^https?://",
        "maxLength": 2048
    },
    "DeliveredEvents": {
        "minItems": 1,
        "maxItems": 100
    },
    "WebhookStatus": {
        "enum": [
            "enabled",
            "disabled"
        ]
    },
    "WebhookDelivery": {
        "properties": {
            "status": {
                "enum": [
                    "pending",
                    "succeeded",
                    "failed"
                ]
            },
            "attempts": {
                "minimum": 1,
                "maximum": 1000
            }
        }
    },
    "WebhookList": {
        "properties": {
            "data": {
                "maxItems": 100
            }
        }
    },
    "EventTypes": {
        "minItems": 1,
        "maxItems": 3
    },
    "CreatedWebhook": {
        "properties": {
            "secret": {
                "pattern": "^whsec_[A-Za-z0-9+/]{43}=$",
                "maxLength": 50
            }
        }
    },
    "EventId": {
        "pattern": "^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$",
        "maxLength": 30
    },
    "AgentCompletion": {
        "properties": {
            "response": {
                "maxLength": 262144
            }
        }
    },
    "InvocationFailure": {
        "properties": {
            "code": {
                "enum": [
                    "invalid_request",
                    "upstream_error",
                    "unavailable",
                    "timeout",
                    "rate_limited",
                    "payload_too_large",
                    "not_found",
                    "server_error",
                    "cancelled"
                ]
            },
            "message": {
                "minLength": 1,
                "maxLength": 1000
            }
        }
    },
    "AgentPause": {
        "properties": {
            "response": {
                "maxLength": 262144
            }
        }
    },
    "KeyName": {
        "minLength": 1,
        "maxLength": 100
    },
    "GrantedPermissions": {
        "minItems": 1,
        "maxItems": 100
    },
    "KeyPreview": {
        "pattern": "^ahs_…[0-9A-Za-z]{4}$",
        "maxLength": 9
    },
    "ApiKeyList": {
        "properties": {
            "data": {
                "maxItems": 100
            }
        }
    },
    "PrintableText": {
        "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]*$",
        "minLength": 1,
        "maxLength": 1024
    },
    "Permission": {
        "enum": [
            "read",
            "write",
            "delete",
            "manage"
        ]
    },
    "Permissions": {
        "minItems": 1,
        "maxItems": 4
    },
    "ApiKeyRequest": {
        "properties": {
            "name": {
                "maxLength": 100
            }
        }
    },
    "CreatedApiKey": {
        "properties": {
            "key": {
                "pattern": "^ahs_[0-9A-Za-z]{46}$",
                "maxLength": 50
            }
        }
    }
} as const;

/** The error messages for values that do not match a pattern or format. */
export const errorMessages: Record<'pattern' | 'format', Record<string, string>> = {
    "pattern": {
        "^(agent_[0-7][0-9a-hjkmnp-tv-z]{25}|[a-z][a-z0-9-]{0,62})$": "must be the name of an agent, such as support-bot, or its id",
        "\\S": "must contain more than white space",
        "^[a-z][a-z0-9-]{0,31}$": "must be lower-case letters, digits and hyphens, starting with a letter, such as production",
        "^req_[0-7][0-9a-hjkmnp-tv-z]{25}$": "must be the id of a request, such as req_01m6dsg7e0eha8ks12y199e68y",
        "^call_[1-9][0-9]{0,3}$": "must be call_ and a number",
        "^[A-Za-z0-9_-]{1,64}$": "must be letters, digits, underscores and hyphens",
        "^[A-Za-z0-9_-]{1,64}\\.[1-9][0-9]{0,8}$": "must be the id of an event of a stream, as its id line has it",
        "^[a-z][a-z0-9-]{0,62}$": "must be lower-case letters, digits and hyphens, starting with a letter, such as nightly-report",
        "^[a-z][a-z0-9-]{0,31}/[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$": "must be provider/name, such as openai/gpt-5",
        "^[0-9A-Za-z*,/-]+( [0-9A-Za-z*,/-]+){4}$": "must be five fields, minute, hour, day of month, month and day of week, such as 0 2 * * *",
        "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$": "must be the IANA name of a time zone, such as Europe/Paris",
        "^dep_[0-7][0-9a-hjkmnp-tv-z]{25}$": "must be the id of a deployment, such as dep_01m6dqs9m0fsw90fq1accfsmnf",
        "^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$": "must be letters, digits and . _ + -, starting with a letter or digit, such as 1.4.0",
        "^key_[0-7][0-9a-hjkmnp-tv-z]{25}$": "must be the id of an API key, such as key_01m3v7xjz0etnv3twffmsrhx7s",
        "^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$": "must be the id of a webhook, such as wh_01m3y21g40em7a3s4w04zg1hhc",
        "^https?://": "must be an address with a host, such as https://hooks.acme.example/agents",
        "^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]*$": "must not contain control characters, line breaks, or characters that are invisible or change the direction of writing",
        "^[!-~]{1,255}$": "must be 1 to 255 printable ASCII characters without spaces",
        "^[\\t -~]+$": "must be printable ASCII",
        "^(0|[A-Za-z0-9_-]{1,64}\\.[1-9][0-9]{0,8})$": "must be the id of an event of a stream, as its id line has it, or 0",
        "^[!-~]([ -~]*[!-~])?$": "must be 1 to 8192 printable ASCII characters",
        "^[0-9]{6}$": "must be six digits"
    },
    "format": {
        "date-time": "must be a time with its offset as RFC 3339 writes it, from the year 1970 on, such as 2026-11-02T09:30:00Z or 2026-11-02T10:30:00+01:00 (in a query, write + as %2B)",
        "uri": "must be an address with a host, such as https://hooks.acme.example/agents"
    }
};
