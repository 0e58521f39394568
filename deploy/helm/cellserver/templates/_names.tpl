{{- define "cellserver.labels" -}}
app.kubernetes.io/name: cellserver
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cellserver.image" -}}
{{- $repository := required "image.repository: name the image in your registry, such as registry.example.com/acme/cellserver" .Values.image.repository -}}
{{- with .Values.image.digest }}{{ $repository }}@{{ . }}{{ else }}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "cellserver.secret" -}}
{{ .Values.secret | default .Release.Name }}
{{- end }}

{{- /* Bytes of a quantity: 4gb and 500m as directives have them, 4Gi and 500M as Kubernetes has them. A further unit is a large one. */}}
{{- define "cellserver.bytes" -}}
{{- $units := index . 0 }}
{{- $quantity := index . 1 | toString }}
{{- mulf (regexFind "^[0-9.]+(e[+]?[0-9]+)?" $quantity | float64) (get $units (regexFind "[A-Za-z]*$" $quantity) | default 1e15) }}
{{- end }}

{{- define "cellserver.maxmemory" -}}
{{- with (.Values.resources.limits | default dict).memory }}
{{- $used := include "cellserver.bytes" (list (dict "" 1 "k" 1e3 "m" 1e6 "g" 1e9 "kb" 1024 "mb" 1048576 "gb" 1073741824) $.Values.maxmemory) | float64 }}
{{- $limit := include "cellserver.bytes" (list (dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776) .) | float64 }}
{{- if lt $limit (mulf $used 2) }}
{{- fail (printf "resources.limits.memory %v: give at least twice maxmemory, which is %s: else Kubernetes ends the pod before writes fail" . $.Values.maxmemory) }}
{{- end }}
{{- end }}
{{- .Values.maxmemory }}
{{- end }}
