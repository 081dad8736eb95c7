#!/bin/sh
# Installs a release from its tarball, or switches to one that is installed already (upgrade and roll back).
#
#   sudo sh install.sh spillway-0.1.0-linux-x64.tar.gz   # install and switch
#   sudo sh install.sh --switch 0.1.0                    # switch to an installed release
#
# DESTDIR installs below another root and starts nothing.
set -eu
root=${DESTDIR:-}
releases=$root/opt/spillway/releases

switch() {
	[ -d "$releases/$1" ] || { echo "Release $1 is not installed in $releases." >&2; exit 1; }
	ln -sfn "releases/$1" "$root/opt/spillway/current.new"
	mv -T "$root/opt/spillway/current.new" "$root/opt/spillway/current"
	install -d "$root/etc/systemd/system"
	install -m 0644 "$releases/$1"/deploy/systemd/spillway*.service "$releases/$1/deploy/systemd/spillway.target" "$root/etc/systemd/system/"
	echo "Spillway $1 is the current release."
}

start() {
	[ -z "$root" ] || return 0
	systemctl daemon-reload
	if [ ! -s /etc/spillway/spillway.env ] || grep -qx 'SPILLWAY_SECRET=' /etc/spillway/spillway.env; then
		echo "Fill in /etc/spillway/spillway.env, then run: systemctl enable --now spillway.target"
		return 0
	fi
	# The new schema first; then the web servers, then the scheduler.
	systemctl restart spillway-migrate.service
	systemctl restart spillway-web.service
	systemctl restart spillway-scheduler.service
}

case "${1:-}" in
	--switch)
		switch "${2:?name an installed release}"
		start
		;;
	*.tar.gz)
		version=$(basename "$1" .tar.gz)
		version=${version#spillway-}
		if [ -z "$root" ] && ! id spillway >/dev/null 2>&1; then
			useradd --system --user-group --home-dir /var/lib/spillway --shell /usr/sbin/nologin spillway
		fi
		install -d "$releases"
		rm -rf "$releases/$version.new"
		mkdir "$releases/$version.new"
		tar -xzf "$1" -C "$releases/$version.new" --strip-components=1 --no-same-owner
		[ ! -d "$releases/$version" ] || rm -rf "$releases/$version"
		mv "$releases/$version.new" "$releases/$version"
		install -d -m 0750 "$root/etc/spillway"
		if [ ! -e "$root/etc/spillway/spillway.env" ]; then
			install -m 0640 "$releases/$version/deploy/systemd/spillway.env.example" "$root/etc/spillway/spillway.env"
			[ -n "$root" ] || chgrp -R spillway /etc/spillway
		fi
		switch "$version"
		start
		;;
	*)
		sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
esac
