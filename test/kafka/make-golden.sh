#!/usr/bin/env bash
# Builds this project and writes everything under test/golden anew, with the Kafka whose version pom.xml pins.
# Needs Java 17 or later and Maven. What was there is replaced only when all of it has been made.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
golden=$(dirname "$here")/golden
made=(broker-4.4.0 legacy control encode damaged expected dump)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/golden" "$scratch/work"

node --input-type=module --eval \
  "import { buildWitness } from '$here/../../scripts/lib/kafka-witness.mjs'; buildWitness()"

java -cp "$here/target/classes:$here/target/lib/*" \
  partitionlog.kafka.golden.MakeGolden "$scratch/golden" "$scratch/work"

mkdir -p "$golden"
for folder in "${made[@]}"; do
  rm -rf "${golden:?}/$folder"
  cp -R "$scratch/golden/$folder" "$golden/$folder"
done
echo "wrote $(find "${made[@]/#/$golden/}" -type f | wc -l) files under test/golden"
