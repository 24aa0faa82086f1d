#!/bin/bash
# build.sh OUT: upstream's node and pod controller from its Go module, over a provider that is reached by HTTP. Makes OUT/virtual-node. Needs Go; a minute or
# two the first time.
set -euo pipefail
VERSION=${VERSION:-v1.13.0}
module=github.com/virtual-kubelet/virtual-kubelet
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export GOWORK=off CGO_ENABLED=0 GOFLAGS='-mod=mod -trimpath -buildvcs=false'
cd "$work"
printf 'module judge\ngo 1.25.0\n' > go.mod
sources=$(go mod download -json "$module@$VERSION" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p')
# Within the module, whose own choice of its dependencies holds.
cp -r "$sources" tree
chmod -R u+w tree
mkdir -p tree/cmd/judge
cp "$here/judge.go.txt" tree/cmd/judge/main.go
cd tree
go build -ldflags '-s -w' -o "$out/virtual-node" ./cmd/judge
