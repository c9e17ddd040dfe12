{{/* What several objects share. All are called as the release: with the release `rollcall` they are those of examples/fleet. */}}

{{- define "rollcall.image" -}}
{{- $repository := required "image.repository is missing: the image of your own build, see docs/install.md, such as --set image.repository=registry.example/rollcall" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "rollcall.isReplicated" -}}
{{- if gt (int .Values.replicas) 1 }}yes{{ end -}}
{{- end -}}

{{- define "rollcall.subjects" -}}
[{kind: ServiceAccount, name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}]
{{- end -}}

{{- define "rollcall.pullSecrets" -}}
{{- if .Values.image.pullSecrets -}}
imagePullSecrets:
{{- range .Values.image.pullSecrets }}
  - name: {{ . }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "rollcall.placement" -}}
{{- with .Values.nodeSelector -}}
nodeSelector: {{- toYaml . | nindent 2 }}
{{ end -}}
{{- with .Values.tolerations -}}
tolerations: {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* The settings of `rollcall serve --config`. */}}
{{- define "rollcall.settings" -}}
{{- $follow := .Values.clusterWide | ternary (list "-") .Values.namespaces -}}
{{- $settings := dict "listen" (list ":7070") "tls" (dict "certificate" "/etc/rollcall/tls/tls.crt" "key" "/etc/rollcall/tls/tls.key") -}}
{{- $places := list -}}
{{- $allow := list -}}
{{- $rights := list -}}
{{- if $follow -}}
{{- $places = append $places (dict "kubernetes" (dict "namespaces" $follow)) -}}
{{- end -}}
{{- range .Values.namespaces -}}
{{- $allow = append $allow (printf "kubernetes:%s" .) -}}
{{- $rights = append $rights (dict "who" (printf "kubernetes:%s/*" .) "read" (list (printf "kubernetes:%s" .))) -}}
{{- end -}}
{{- if .Values.clusterWide -}}
{{- $allow = list "kubernetes:*" -}}
{{- end -}}
{{- $kubernetes := dict "audience" .Values.audience -}}
{{- if .Values.tokenReviews -}}
{{- $_ := set $kubernetes "reviews" true -}}
{{- end -}}
{{- if include "rollcall.isReplicated" . -}}
{{- $lease := dict "kubernetes" (eq .Release.Name "rollcall" | ternary (dict) (dict "name" .Release.Name)) -}}
{{- $_ := set $lease "serves_at" (printf "https://${POD_NAME}.%s-replicas.%s.svc:7070" .Release.Name .Release.Namespace) -}}
{{- $_ := set $lease "replica_authorities" "/etc/rollcall/tls/ca.crt" -}}
{{- $_ := set $lease "token_file" "/etc/rollcall/token/token" -}}
{{- $_ := set $settings "lease" $lease -}}
{{- $rights = append $rights (dict "who" (printf "kubernetes:%s/%s" .Release.Namespace .Release.Name) "replica" true) -}}
{{- end -}}
{{- range .Values.metricsReaders -}}
{{- $rights = append $rights (dict "who" . "metrics" true) -}}
{{- end -}}
{{- $more := .Values.settings -}}
{{- $_ := set $settings "follow" (concat $places ($more.follow | default list)) -}}
{{- $_ := set $settings "allow" (concat $allow ($more.allow | default list)) -}}
{{- $_ := set $settings "clients" (concat (list (dict "kubernetes" $kubernetes)) ($more.clients | default list)) -}}
{{- $_ := set $settings "rights" (concat $rights ($more.rights | default list)) -}}
{{- range $key := list "limits" "quota" -}}
{{- with index $more $key -}}
{{- $_ := set $settings $key . -}}
{{- end -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* What both kinds of workload run. */}}
{{- define "rollcall.pod" -}}
{{- $isReplicated := include "rollcall.isReplicated" . -}}
metadata:
  labels: {app: {{ .Release.Name }}{{ if $isReplicated }}, role: replica{{ end }}}
  # Other settings roll the pods out.
  annotations: {checksum/settings: {{ include "rollcall.settings" . | sha256sum }}}
spec:
  serviceAccountName: {{ .Release.Name }}
  terminationGracePeriodSeconds: 30
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  {{- include "rollcall.pullSecrets" . | nindent 2 }}
  {{- if $isReplicated }}
  # The label of replicas alone: on the way from one replica to several the pod of the Deployment would be counted, and leave its node empty.
  topologySpreadConstraints:
    - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: {{ .Values.spread }}, labelSelector: {matchLabels: {app: {{ .Release.Name }}, role: replica}}}
  {{- end }}
  {{- include "rollcall.placement" . | nindent 2 }}
  containers:
    - name: rollcall
      image: {{ include "rollcall.image" . }}
      {{- with .Values.image.pullPolicy }}
      imagePullPolicy: {{ . }}
      {{- end }}
      args: [serve, --config, /etc/rollcall/settings/fleet.yaml, --log, json, --drain, 20s]
      {{- if $isReplicated }}
      env:
        - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
      {{- end }}
      ports: [{name: https, containerPort: 7070}]
      readinessProbe: {httpGet: {path: /readyz, port: https, scheme: HTTPS}, periodSeconds: 5}
      livenessProbe: {httpGet: {path: /healthz, port: https, scheme: HTTPS}, periodSeconds: 10, failureThreshold: 3}
      resources: {{- toYaml .Values.resources | nindent 8 }}
      securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
      volumeMounts:
        - {name: settings, mountPath: /etc/rollcall/settings, readOnly: true}
        - {name: tls, mountPath: /etc/rollcall/tls, readOnly: true}
        {{- if $isReplicated }}
        - {name: token, mountPath: /etc/rollcall/token, readOnly: true}
        {{- end }}
  volumes:
    - {name: settings, configMap: {name: {{ .Release.Name }}}}
    - {name: tls, secret: {secretName: {{ .Values.tls.secretName }}}}
    {{- if $isReplicated }}
    - {name: token, projected: {sources: [{serviceAccountToken: {audience: {{ .Values.audience | quote }}, path: token}}]}}
    {{- end }}
{{- end -}}
