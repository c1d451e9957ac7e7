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

{{/* part-of, unlike name, is the same in every installation: the alerts select their metrics by it. */}}
{{- define "agent-hosting.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "agent-hosting.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: {{ .Chart.Name }}
{{- end }}

{{- define "agent-hosting.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "agent-hosting.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "agent-hosting.image" -}}
{{- $repository := required "Set image.repository to your image. deploy/README.md describes how to build and push one." .Values.image.repository }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "agent-hosting.secretName" -}}
{{- default (include "agent-hosting.fullname" .) .Values.secret.existing }}
{{- end }}

{{/* The text of a variable. The numbers of a values file are floats, which templates print as 1e+06. */}}
{{- define "agent-hosting.text" -}}
{{- if kindIs "float64" . }}{{ . | int64 }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* Probes use https if the service does. The kubelet accepts any certificate. */}}
{{- define "agent-hosting.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  scheme: {{ ternary "HTTPS" "HTTP" .root.Values.tls.enabled }}
{{- end }}

{{/* More than the service's own shutdown timeouts, in whole seconds. */}}
{{- define "agent-hosting.gracePeriod" -}}
{{- add 5 (div (add (int .Values.lameDuckMs) (int .Values.shutdownTimeoutMs) 999) 1000) }}
{{- end }}

{{/* OpenShift assigns a user to each namespace and rejects any other. */}}
{{- define "agent-hosting.podSecurityContext" -}}
{{- $context := .Values.podSecurityContext }}
{{- if .Capabilities.APIVersions.Has "security.openshift.io/v1" }}
{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" }}
{{- end }}
{{- toYaml $context }}
{{- end }}

{{- define "agent-hosting.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* A different name, so that the Service and the disruption budget do not select worker and migration pods. */}}
{{- define "agent-hosting.workerLabels" -}}
app.kubernetes.io/name: {{ include "agent-hosting.name" . }}-worker
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Limits how many of these pods a node drain may end at once. */}}
{{- define "agent-hosting.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels: {{- include "agent-hosting.labels" .root | nindent 4 }}
spec:
  maxUnavailable: {{ .root.Values.podDisruptionBudget.maxUnavailable }}
  # Pods that are not ready do not block a node drain.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- .pods | nindent 6 }}
{{- end }}

{{- define "agent-hosting.podAnnotations" -}}
{{- if and .Values.secret.enabled (not .Values.secret.existing) }}
# Restarts the pods when the secret changes.
checksum/secret: {{ include (print $.Template.BasePath "/secret.yaml") . | sha256sum }}
{{- end }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Scheduling and security settings of all pods. */}}
{{- define "agent-hosting.pod" -}}
# The service does not use the Kubernetes API.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext: {{- include "agent-hosting.podSecurityContext" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "agent-hosting.volumes" -}}
# Holds first.key, which the first start writes.
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "agent-hosting.container" -}}
image: {{ include "agent-hosting.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{- include "agent-hosting.securityContext" . | nindent 2 }}
{{- if or .Values.secret.enabled .Values.envFrom }}
envFrom:
  {{- if .Values.secret.enabled }}
  - secretRef:
      name: {{ include "agent-hosting.secretName" . }}
  {{- end }}
  {{- with .Values.envFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Comes after the chart's own variables, which it overrides. */}}
{{- define "agent-hosting.env" -}}
- name: DATA_DIR
  value: /data
{{- range $name, $value := .Values.config }}
- name: {{ $name }}
  value: {{ include "agent-hosting.text" $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "agent-hosting.volumeMounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Connections per process: the pool, one for checks and two listeners, as in server/config and server/postgres. */}}
{{- define "agent-hosting.connections" -}}
{{- $processes := max 1 (int .Values.config.WORKERS) }}
{{- $pool := int (default (max 4 (min 20 (div 60 $processes))) .Values.config.DATABASE_POOL_SIZE) }}
{{- $perPod := mul $processes (add $pool 3) }}
{{- $pods := add 1 (ternary .Values.autoscaling.maxReplicas .Values.replicaCount .Values.autoscaling.enabled) (ternary .Values.worker.replicaCount 0 .Values.worker.enabled) }}
{{- mul $perPod $pods }}
{{- end }}
