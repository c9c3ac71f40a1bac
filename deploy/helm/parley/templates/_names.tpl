{{- define "parley.name" -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- end -}}

{{- define "parley.labels" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "parley.selector" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* Each role must be in some pool: a release without one would answer 503, or never call. */ -}}
{{- define "parley.roles" -}}
{{- $have := dict -}}
{{- range $name, $pool := .Values.pools -}}{{- range $pool.roles -}}{{- $_ := set $have . true -}}{{- end -}}{{- end -}}
{{- range list "api" "projector" "reactor" -}}
{{- if not (hasKey $have .) -}}{{- fail (printf "pools: no pool has the role %s in its roles" .) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- /* How long the calls of a pool's nodes go on when they end. */ -}}
{{- define "parley.callDrain" -}}
{{- $top := index . 0 -}}{{- $pool := index . 1 -}}
{{- if hasKey $pool "callDrainSeconds" -}}{{- $pool.callDrainSeconds -}}{{- else -}}{{- $top.Values.callDrainSeconds -}}{{- end -}}
{{- end -}}
