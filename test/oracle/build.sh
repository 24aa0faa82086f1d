#!/bin/sh
# Builds an oracle: an upstream package (from the Go module proxy) with our test files beside it, as one binary.
#   build.sh job|preemption OUT     -> OUT/job-oracle or OUT/preemption-oracle
# KUBERNETES_VERSION (default v1.36.3) chooses the release; KEEP=DIR keeps the prepared source tree in DIR.
set -eu
[ $# -eq 2 ] || { echo "usage: build.sh job|preemption OUT" >&2; exit 2; }
case $1 in
  job) package=pkg/controller/job ;;
  preemption) package=pkg/kubelet/preemption ;;
  *) echo "no oracle is called $1" >&2; exit 2 ;;
esac
version=${KUBERNETES_VERSION:-v1.36.3}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
began=$(date +%s)
if [ -n "${KEEP:-}" ]; then
  mkdir -p "$KEEP"
  work=$(cd "$KEEP" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT INT TERM
fi

sh "$here/prepare.sh" "$version" "$work"
rm -f "$work/$package"/*_test.go
cp "$here/$1"/oracle_test.go "$here/$1"/oracle_main_test.go "$work/$package/"
cd "$work"
GOWORK=off GOFLAGS=-mod=mod go test -c -vet=off -trimpath -ldflags='-s -w' -o "$out/$1-oracle" "./$package"
echo "built $out/$1-oracle from kubernetes $version in $(($(date +%s) - began)) s"
