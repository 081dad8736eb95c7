import { SLICE_KEY } from "#server/agent/google-metadata.ts";
import type { SliceHost } from "../../driver.ts";

/** Instance ids of the hosts by worker number, separated by commas. */
export const HOSTS_KEY = "spillway-hosts";
const BOOT_KEY = "spillway-boot-";

/**
 * Runs at the boot of every host: all hosts of a slice have the same metadata. `agent-worker-number` is the host's number in Google's
 * metadata. Google's own libraries read GCE_METADATA_HOST too.
 */
const STARTUP_SCRIPT = `#!/bin/sh
# Runs the boot script of this host of the slice.
set -u
umask 077
M="http://\${GCE_METADATA_HOST:-metadata.google.internal}/computeMetadata/v1/instance/attributes"
get() { curl -fsS --connect-timeout 10 -H 'Metadata-Flavor: Google' "$M/$1"; }
B=$(mktemp "\${TMPDIR:-/var/tmp}/spillway-boot.XXXXXX") || exit 1
i=0
until N=$(get agent-worker-number) && get "${BOOT_KEY}$N" >"$B"; do
  i=$((i + 1))
  [ "$i" -lt 60 ] || { echo "spillway: no boot script in the metadata; powering off"; shutdown -h now; exit 1; }
  sleep 5
done
exec sh "$B"
`;

/** Metadata of a slice's node: one script for all hosts, and each host's boot script under its worker number. */
export function sliceMetadata(id: string, hosts: readonly SliceHost[], sshKeys: readonly string[]): Record<string, string> {
	return {
		"startup-script": STARTUP_SCRIPT,
		[SLICE_KEY]: id,
		[HOSTS_KEY]: hosts.map(({ instanceId }) => instanceId).join(","),
		...Object.fromEntries(hosts.map(({ userData }, worker) => [`${BOOT_KEY}${worker}`, userData])),
		...(sshKeys.length > 0 && { "ssh-keys": sshKeys.join("\n") }),
	};
}
