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
