#!/bin/sh
# Builds the image with buildah, podman or docker, whichever is installed.
#
#   deploy/image/build.sh [--tag NAME] [--without-registry]
#
# With a path in SPILLWAY_URL, the pages are built for it.
# --without-registry: makes the base image from Debian's packages (debootstrap, as root) and the Node of node_modules, for
# hosts that reach no container registry. Needs `npm ci` in the clone first.
set -eu
cd "$(dirname "$0")/../.."
tag=spillway
registry=yes
while [ "$#" -gt 0 ]; do
	case "$1" in
		--tag) tag=$2; shift 2 ;;
		--without-registry) registry=no; shift ;;
		*) echo "unknown option $1" >&2; exit 2 ;;
	esac
done

tool=
for name in buildah podman docker; do
	if command -v "$name" >/dev/null; then tool=$name; break; fi
done
[ -n "$tool" ] || { echo "Install buildah, podman or docker." >&2; exit 1; }

# Only the Docker format keeps the HEALTHCHECK.
# Docker finds the ignore file by its name.
case "$tool" in docker) format= ;; *) format="--format docker --ignorefile deploy/image/Containerfile.dockerignore" ;; esac
bases=
if [ "$registry" = no ]; then
	[ "$tool" = buildah ] || { echo "--without-registry needs buildah." >&2; exit 1; }
	base=localhost/spillway-base:bookworm
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	debootstrap --variant=minbase --include=ca-certificates bookworm "$work/root"
	arch=$(node -p 'process.arch')
	install -m 0755 "node_modules/node-linux-$arch/bin/node" "$work/root/usr/local/bin/node"
	mkdir -p "$work/root/usr/local/lib/node_modules"
	cp -r "$(npm root -g)/npm" "$work/root/usr/local/lib/node_modules/npm"
	ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
	container=$(buildah from scratch)
	buildah add -q "$container" "$work/root" /
	buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
	buildah commit -q --rm "$container" "$base"
	bases="--build-arg BUILDER=$base --build-arg BASE=$base"
fi

secrets=
[ ! -f "$HOME/.npmrc" ] || secrets="--secret id=npmrc,src=$HOME/.npmrc"
[ -z "${NODE_EXTRA_CA_CERTS:-}" ] || secrets="$secrets --secret id=ca,src=$NODE_EXTRA_CA_CERTS"
verb=build
[ "$tool" != buildah ] || verb=bud
# shellcheck disable=SC2086 # Lists of options, split on purpose.
exec "$tool" "$verb" $format $bases $secrets --build-arg "SPILLWAY_URL=${SPILLWAY_URL:-}" -f deploy/image/Containerfile -t "$tag" .
