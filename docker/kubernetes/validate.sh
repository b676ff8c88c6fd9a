#!/usr/bin/env bash
#
# Validates manifests against the schemas of Kubernetes, cert-manager and the Gateway API, strictly: an unknown field is an error.
#
#   docker/kubernetes/validate.sh [FILE...]    without one, the manifests of this folder and of mtls/
#   docker/kubernetes/validate.sh --chart      the chart of helm/, which has to make the same Deployments as they are
#
# Needs Python 3 with venv, and Go, which fetches the schemas of cert-manager and the Gateway API, and compiles Helm, which takes
# minutes the first time. Pinned below.
set -euo pipefail

kubernetes_validate=1.37.0
kubernetes_versions=(1.30 1.37)
cert_manager=v1.18.2
gateway_api=v1.5.0
helm=v3.19.0
# Debian's is too old for Helm
go_for_helm=1.24.6

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$(dirname "$(dirname "$here")")/.cache/kubernetes
chart=
[[ ${1-} != --chart ]] || { chart=true; shift; }
[[ $# != 0 ]] || set -- "$here"/*.yaml "$here"/mtls/*.yaml

venv=$cache/kubernetes-validate-$kubernetes_validate
if [[ ! -x $venv/bin/kubernetes-validate ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$kubernetes_validate"
fi

# module NAME@VERSION: its folder
module() {
  (cd "$cache" && GOFLAGS=-modcacherw GOPATH="$cache/go" go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
}

# fetch MODULE@VERSION FILE...
fetch() {
  local folder
  folder=$(module "$1")
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

if [[ -n $chart ]]; then
  if [[ ! -x $cache/helm-$helm ]]; then
    toolchain=$(module "golang.org/toolchain@v0.0.1-go$go_for_helm.linux-$(go env GOARCH)")
    # A module has no executable files
    chmod -R +x "$toolchain"/{bin,pkg/tool}
    (cd "$cache" && GOTOOLCHAIN=local GOFLAGS=-modcacherw GOPATH="$cache/go" GOCACHE="$cache/go/cache" GOBIN="$cache/go/bin" \
      "$toolchain/bin/go" install "helm.sh/helm/v3/cmd/helm@$helm")
    mv "$cache/go/bin/helm" "$cache/helm-$helm"
    rm -rf "$cache/go"
  fi
  rendered=$(mktemp -d)
  trap 'rm -rf "$rendered"' EXIT
  render() { "$cache/helm-$helm" template sample "$here/helm" --kube-version "${kubernetes_versions[0]}.0" "$@"; }
  render >"$rendered/mtls.yaml"
  render --set tls.clientCaSecret= >"$rendered/deployment.yaml"
  "$venv/bin/python" "$here/same.py" "$rendered/mtls.yaml" "$here/mtls/deployment.yaml"
  "$venv/bin/python" "$here/same.py" "$rendered/deployment.yaml" "$here/deployment.yaml"
  set -- "$rendered"/*.yaml
fi

"$venv/bin/python" "$here/validate.py" "$crds" "${kubernetes_versions[*]}" "$@"
