#!/usr/bin/env bash
#
# Validates manifests against the schemas of Kubernetes, cert-manager and the Gateway API, strictly: an unknown field is an error.
#
#   docker/kubernetes/validate.sh [FILE...]    without one, the manifests of this folder and of mtls/
#
# Needs Python 3 with venv, and Go, which fetches the schemas of cert-manager and the Gateway API. Pinned below.
set -euo pipefail

kubernetes_validate=1.37.0
kubernetes_versions=(1.30 1.37)
cert_manager=v1.18.2
gateway_api=v1.5.0

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$(dirname "$(dirname "$here")")/.cache/kubernetes
[[ $# != 0 ]] || set -- "$here"/*.yaml "$here"/mtls/*.yaml

venv=$cache/kubernetes-validate-$kubernetes_validate
if [[ ! -x $venv/bin/kubernetes-validate ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$kubernetes_validate"
fi

# fetch MODULE@VERSION FILE...
fetch() {
  local folder
  folder=$(cd "$cache" && GOFLAGS=-modcacherw GOPATH="$cache/go" go mod download -json "$1" \
    | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  (cd "$folder" && cp "${@:2}" "$crds.new")
  rm -rf "$cache/go"
}

crds=$cache/crds-$cert_manager-$gateway_api
if [[ ! -d $crds ]]; then
  rm -rf "$crds.new"
  mkdir -p "$crds.new"
  fetch "github.com/cert-manager/cert-manager@$cert_manager" deploy/crds/crd-{certificates,issuers}.yaml
  fetch "sigs.k8s.io/gateway-api@$gateway_api" config/crd/standard/gateway.networking.k8s.io_{gateways,tlsroutes}.yaml
  mv "$crds.new" "$crds"
fi

"$venv/bin/python" "$here/validate.py" "$crds" "${kubernetes_versions[*]}" "$@"
