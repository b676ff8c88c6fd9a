#!/usr/bin/env bash
#
# Validates manifests against the schemas of Kubernetes and of cert-manager, strictly: an unknown field is an error.
#
#   docker/kubernetes/validate.sh [FILE...]    without one, the manifests of this folder
#
# Needs Python 3 with venv, and Go, which fetches cert-manager's schemas. Pinned below.
set -euo pipefail

kubernetes_validate=1.37.0
kubernetes_versions=(1.30 1.37)
cert_manager=v1.18.2

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$(dirname "$(dirname "$here")")/.cache/kubernetes
[[ $# != 0 ]] || set -- "$here"/*.yaml

venv=$cache/kubernetes-validate-$kubernetes_validate
if [[ ! -x $venv/bin/kubernetes-validate ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$kubernetes_validate"
fi

crd=$cache/crd-certificates-$cert_manager.yaml
if [[ ! -f $crd ]]; then
  folder=$(cd "$cache" && GOFLAGS=-modcacherw GOPATH="$cache/go" go mod download -json \
    "github.com/cert-manager/cert-manager@$cert_manager" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp "$folder/deploy/crds/crd-certificates.yaml" "$crd"
  rm -rf "$cache/go"
fi

"$venv/bin/python" "$here/validate.py" "$crd" "${kubernetes_versions[*]}" "$@"
