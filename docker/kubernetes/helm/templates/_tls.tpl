{{/* The variables, for the application and for its check */}}
{{- define "tls.env" -}}
# A port of its own for probes and metrics, with the same certificate
- name: MANAGEMENT_SERVER_PORT
  value: "9443"
{{- if .Values.tls.clientCaSecret }}
- name: SERVER_SSL_CLIENTAUTH
  value: {{ has .Values.tls.clientAuth (list "need" "want") | ternary .Values.tls.clientAuth "" | required "tls.clientAuth is neither need nor want" }}
- name: SERVER_SSL_CACERTIFICATEFILE
  value: /etc/client-ca/ca.crt
# The kubelet and Prometheus have no certificate
- name: MANAGEMENT_SERVER_SSL_CLIENTAUTH
  value: none
{{- end }}
{{- end }}

{{- define "tls.volumeMounts" -}}
# The folder, not a subPath: files of a subPath never change
- name: tls
  mountPath: /etc/tls
  readOnly: true
{{- if .Values.tls.clientCaSecret }}
- name: client-ca
  mountPath: /etc/client-ca
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "tls.volumes" -}}
- name: tls
  secret:
    secretName: {{ required "tls.secret is missing" .Values.tls.secret }}
    defaultMode: 0440
{{- with .Values.tls.clientCaSecret }}
# Only the certificate: the secret has the CA's key too
- name: client-ca
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items:
      - key: tls.crt
        path: ca.crt
{{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- end }}

{{- define "tls.securityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
# Owns the files of the secrets, which are for owner and group only
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}
