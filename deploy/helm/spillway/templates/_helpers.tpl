{{- define "spillway.labels" -}}
app.kubernetes.io/name: spillway
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "spillway.selector" -}}
app.kubernetes.io/name: spillway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "spillway.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "spillway.env" -}}
- name: SPILLWAY_URL
  value: {{ .Values.url | quote }}
- name: SPILLWAY_INSTANCE
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{- range $name := list "DATABASE_URL" "SPILLWAY_SECRET" "AUTH_SECRET" }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $.Values.secrets.existingSecret | quote }}, key: {{ $name }} } }
{{- end }}
{{- range $name := list "OIDC_CLIENT_ID" "OIDC_CLIENT_SECRET" "SPILLWAY_SMTP_URL" "SPILLWAY_CREDENTIAL_KEYS" "SPILLWAY_METRICS_TOKEN" "DATABASE_DIRECT_URL" "SPILLWAY_CARBON_TOKEN" "OPENLINEAGE_API_KEY" "MLFLOW_FORWARD_TOKEN" "MLFLOW_FORWARD_USERNAME" "MLFLOW_FORWARD_PASSWORD" }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $.Values.secrets.existingSecret | quote }}, key: {{ $name }}, optional: true } }
{{- end }}
{{- if .Values.extraCaConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/spillway/ca/ca.crt
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ if kindIs "string" $value }}{{ $value | quote }}{{ else }}{{ toJson $value | quote }}{{ end }}
{{- end }}
{{- end }}

{{- define "spillway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "spillway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "spillway.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: home, mountPath: /var/lib/spillway }
{{- if .Values.extraCaConfigMap }}
- { name: ca, mountPath: /etc/spillway/ca, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "spillway.volumes" -}}
- name: tmp
  emptyDir: {}
- name: home
  persistentVolumeClaim:
    claimName: {{ .Values.persistence.existingClaim | default (printf "%s-home" .Release.Name) }}
{{- if .Values.extraCaConfigMap }}
- name: ca
  configMap: { name: {{ .Values.extraCaConfigMap | quote }} }
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "spillway.placement" -}}
serviceAccountName: {{ .Release.Name }}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
