#!/bin/bash
# build.sh OUT: builds the training operator from its Go module. Six kinds come from NEW; MXJob, which that release has dropped, from OLD.
# Makes OUT/operator, OUT/operator-mx, OUT/crds/*.yaml and OUT/webhook.yaml. Needs Go; some minutes the first time.
set -euo pipefail
NEW=${NEW:-v1.9.3}
OLD=${OLD:-v1.7.0}
module=github.com/kubeflow/training-operator
mkdir -p "$1/crds"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export GOWORK=off CGO_ENABLED=0 GOFLAGS='-mod=mod -trimpath -buildvcs=false'

# change FILE TEXT REPLACEMENT: TEXT stands there once, or upstream is another than this script knows.
change() {
  python3 - "$@" <<'P'
import sys
path, text, replacement = sys.argv[1:]
source = open(path).read()
if source.count(text) != 1:
    sys.exit(f'{path}: {source.count(text)} times {text!r}')
open(path, 'w').write(source.replace(text, replacement))
P
}

# build VERSION BINARY: and leaves its sources in $work/VERSION
build() {
  local module_folder sources=$work/$1
  module_folder=$(cd "$work" && go mod download -json "$module@$1" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p')
  cp -r "$module_folder" "$sources"
  chmod -R u+w "$sources"
  # Its event recorder drops what exceeds 25 events of an object, and combines alike ones after ten: a record is to have them all.
  change "$sources/cmd/training-operator.v1/main.go" $'import (\n' $'import (\n\t"k8s.io/client-go/tools/record"\n'
  change "$sources/cmd/training-operator.v1/main.go" $'\t\tHealthProbeBindAddress:' \
    $'\t\tEventBroadcaster: record.NewBroadcasterWithCorrelatorOptions(record.CorrelatorOptions{BurstSize: 100000, MaxEvents: 100000}),\n\t\tHealthProbeBindAddress:'
  # The webhook listens on the loopback alone, with its certificates in a folder of the run.
  if [ -f "$sources/pkg/cert/cert.go" ]; then
    change "$sources/cmd/training-operator.v1/main.go" $'\t\t\tPort: webhookServerPort,\n' \
      $'\t\t\tPort: webhookServerPort, Host: "127.0.0.1", CertDir: os.Getenv("CERT_DIR"),\n'
    change "$sources/pkg/cert/cert.go" 'CertDir:        certDir,' 'CertDir:        os.Getenv("CERT_DIR"),'
  fi
  (cd "$sources" && go build -ldflags '-s -w' -o "$out/$2" ./cmd/training-operator.v1)
}

build "$NEW" operator
for plural in jaxjobs mpijobs paddlejobs pytorchjobs tfjobs xgboostjobs; do
  cp "$work/$NEW/manifests/base/crds/kubeflow.org_$plural.yaml" "$out/crds/"
done
cp "$work/$NEW/manifests/base/webhook/manifests.yaml" "$out/webhook.yaml"
build "$OLD" operator-mx
cp "$work/$OLD/manifests/base/crds/kubeflow.org_mxjobs.yaml" "$out/crds/"
