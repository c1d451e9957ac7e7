{{- define "agent-hosting.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "agent-hosting.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "agent-hosting.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "agent-hosting.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "agent-hosting.selectorLabels" -}}
app.kubernetes.io/name: {{ include "agent-hosting.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "agent-hosting.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "agent-hosting.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "agent-hosting.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "agent-hosting.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "agent-hosting.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "agent-hosting.secretName" -}}
{{- default (include "agent-hosting.fullname" .) .Values.secret.existing }}
{{- end }}

{{/* A port that all probes ask over what the service speaks. The kubelet accepts any certificate. */}}
{{- define "agent-hosting.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  scheme: {{ ternary "HTTPS" "HTTP" .root.Values.tls.enabled }}
{{- end }}

{{/* Longer than the service takes to end by itself, in whole seconds. */}}
{{- define "agent-hosting.gracePeriod" -}}
{{- add 5 (div (add (int .Values.lameDuckMs) (int .Values.shutdownTimeoutMs) 999) 1000) }}
{{- end }}

{{- define "agent-hosting.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "agent-hosting.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
