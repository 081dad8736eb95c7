import { assert } from "#server/kernel/assert.ts";

export interface UserDataInput {
	/** Address of the control plane as seen from the machine. */
	controlUrl: string;
	instanceId: string;
	bootstrapSecret: string;
	/** SHA-256 of the file that the control plane serves as /agent/v1/agent.mjs. */
	agentSha256: string;
	expiresAtMs: number;
	/** Time from the intent to the expiry. The dead man's switch waits no longer, however far behind the machine's clock is. */
	lifeMs: number;
	/** Time from the intent until a machine that is kept warm powers off, unless its agent has enrolled. Absent: it has a job. */
	warmMs?: number;
	/**
	 * The machine is stopped once it is prepared, and the script must run again at each later boot, in the same folder. `copied`: as one of
	 * cloud-init's scripts of each boot, since the image runs user-data only once. `repeated`: the image runs the script itself at each boot.
	 */
	bootsAgain?: BootsAgain;
	/**
	 * SHA-256 of each Node that the control plane serves as /agent/v1/runtime/<platform>, by platform, e.g. linux-x64. For images
	 * without Node.
	 */
	runtimeSha256?: Readonly<Record<string, string>>;
	network?: MachineNetwork;
}

type BootsAgain = "copied" | "repeated";

/** What a machine in a company's network needs for its outgoing calls. */
export interface MachineNetwork {
	/** HTTP proxy of all calls, those to the metadata service excepted. */
	proxy?: string;
	/** Hosts that are called directly. */
	noProxy?: readonly string[];
	/** PEM certificates that are trusted in addition to the image's. */
	certificates?: string;
}

/**
 * The script that a machine executes at its first boot, for any POSIX shell. It first sets the dead man's switch, which needs
 * neither agent nor control plane. Then it downloads the agent, and Node if the image has none that is new enough, verifies their
 * checksums, and runs the agent. Afterwards the machine is off, whatever happens. The same input gives the same text, so a
 * repeated launch call is identical.
 */
export function userData(input: UserDataInput): string {
	const url = new URL(input.controlUrl);
	assert(url.protocol === "http:" || url.protocol === "https:", "the control plane's address must be http or https");
	const base = word(url.href.replace(/\/+$/, ""), /^[!-&(-~]+$/);
	const runtimes = Object.entries(input.runtimeSha256 ?? {}).map(
		([platform, sum]) => `${word(platform, /^linux-[a-z0-9]+$/)}) R=${hex(sum)} ;;`,
	);
	return `#!/bin/sh
# Runs one job of Spillway and powers off.
set -u
umask 077
U='${base}/agent/v1'
X=${Math.floor(whole(input.expiresAtMs) / 1000)}
PATH="\${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
say() { echo "spillway: $*"; }
S=$(command -v shutdown) P=$(command -v poweroff)
off() { { [ -n "$S" ] && "$S" -h now; } || { [ -n "$P" ] && "$P"; }; }
die() { say "$*; powering off"; off; exit 1; }
left=$((X - $(date +%s)))
[ "$left" -le ${Math.ceil(whole(input.lifeMs) / 1000)} ] || left=${Math.ceil(whole(input.lifeMs) / 1000)}
[ "$left" -gt 0 ] || die "the machine's life is over"
(trap '' HUP; sleep "$left"; until off; do sleep 10; done) </dev/null >/dev/null 2>&1 &
${input.bootsAgain ? bootAgain(input.instanceId, input.bootsAgain) : NEW_FOLDER} || die "no folder to work in"
cd "$D" || die "no folder to work in"
${input.warmMs === undefined ? "" : warmSwitch(input.warmMs)}${trust(input.network)}${throughProxy(input.network)}has() { command -v "$1" >/dev/null 2>&1; }
fetch() {
  if has curl; then curl -fsS --connect-timeout 10 -o "$2" "$1"
  elif has wget; then wget -q -T 30 \${SSL_CERT_FILE:+"--ca-certificate=$SSL_CERT_FILE"} -O "$2" "$1"
  elif has node; then node -e 'fetch(process.argv[1]).then(async r=>{if(!r.ok)throw r.status;require("fs").writeFileSync(process.argv[2],Buffer.from(await r.arrayBuffer()))}).catch(e=>{console.error(e);process.exit(1)})' "$1" "$2"
  else die "the image has neither curl nor wget nor node"
  fi
}
sum() {
  if has sha256sum; then sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else node -e 'console.log(require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1])).digest("hex"))' "$1"
  fi
}
get() {
  i=0
  until fetch "$U/$1" "$2" && [ "$(sum "$2")" = "$3" ]; do
    i=$((i + 1))
    [ "$i" -lt 60 ] || die "$1 cannot be had from $U with the right sum"
    sleep 5
  done
}
ok() { "$1" -e 'process.exit(+(${input.network?.proxy === undefined ? TOO_OLD : IGNORES_PROXY}))' >/dev/null 2>&1; }
get agent.mjs agent.mjs ${hex(input.agentSha256)}
N=
for n in node nodejs /usr/local/bin/node /opt/node/bin/node; do
  if ok "$n"; then N=$n; break; fi
done
if [ -z "$N" ]; then
  case $(uname -s)-$(uname -m) in Linux-x86_64) P=linux-x64 ;; Linux-aarch64) P=linux-arm64 ;; *) P=$(uname -m) ;; esac
  R=
  case $P in ${runtimes.join(" ")} *) ;; esac
  [ -n "$R" ] || die "no Node >= 20 here, and none for $P with the control plane"
  get "runtime/$P" node "$R"
  chmod 700 node && ok ./node || die "the Node for $P does not run here"
  N=./node
fi
SPILLWAY_CONTROL_URL='${base}' SPILLWAY_INSTANCE_ID='${word(input.instanceId, /^[A-Za-z0-9_]+$/)}' SPILLWAY_BOOTSTRAP_SECRET='${word(input.bootstrapSecret, /^[A-Za-z0-9_-]+$/)}' \\
SPILLWAY_EXPIRES_AT_MS=${whole(input.expiresAtMs)} ${input.warmMs === undefined ? "" : "SPILLWAY_WARM=1 "}SPILLWAY_AGENT_DIR="$D" "$N" agent.mjs
say "the agent ended with $?; powering off"
off
`;
}

const TOO_OLD = "parseInt(process.versions.node)<20";
const IGNORES_PROXY = '!process.allowedNodeEnvironmentFlags.has("--use-env-proxy")';
const METADATA_HOSTS = ["169.254.169.254", "metadata.google.internal"];

/** Node adds the certificates to its own; curl, wget and rclone read one file with all. */
function trust({ certificates }: MachineNetwork = {}): string {
	if (certificates === undefined) return "";
	return `cat >ca.pem <<'END'
${word(certificates.trim(), /^[\w+/=\n -]+$/)}
END
for f in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt ca.pem; do [ ! -r "$f" ] || cat "$f"; done >trusted.pem
export NODE_EXTRA_CA_CERTS="$D/ca.pem" SSL_CERT_FILE="$D/trusted.pem"
`;
}

function throughProxy({ proxy, noProxy = [] }: MachineNetwork = {}): string {
	if (proxy === undefined) return "";
	const direct = [...METADATA_HOSTS, ...noProxy].join();
	return `export http_proxy='${word(proxy, /^http:\/\/[\w.:[\]-]+$/)}' no_proxy='${word(direct, /^[\w.:*,-]+$/)}' NODE_USE_ENV_PROXY=1
export https_proxy="$http_proxy" HTTP_PROXY="$http_proxy" HTTPS_PROXY="$http_proxy" NO_PROXY="$no_proxy"
`;
}

/** In the agent's folder once it has enrolled. */
export const ENROLLED_FILE = "enrolled";

/** A second dead man's switch, for a machine that never gets a job. */
function warmSwitch(warmMs: number): string {
	const seconds = Math.ceil(whole(warmMs) / 1000);
	return `(trap '' HUP; sleep ${seconds}; [ -e "$D/${ENROLLED_FILE}" ] || until off; do sleep 10; done) </dev/null >/dev/null 2>&1 &
`;
}

const NEW_FOLDER = `D=$(mktemp -d "\${TMPDIR:-/var/tmp}/spillway.XXXXXX")`;

/** cloud-init runs user data once, and the scripts in this folder at every boot. */
const COPY_FOR_LATER = `B="\${SPILLWAY_PER_BOOT_FOLDER:-/var/lib/cloud/scripts/per-boot}/spillway"
[ -e "$B" ] || { mkdir -p "\${B%/*}" && cp "$0" "$B" && chmod 700 "$B"; } || die "the machine cannot boot again"
`;

function bootAgain(instanceId: string, by: BootsAgain): string {
	return `${by === "copied" ? COPY_FOR_LATER : ""}D="\${TMPDIR:-/var/tmp}/spillway.${word(instanceId, /^[A-Za-z0-9_]+$/)}"
mkdir -p "$D"`;
}

/** The text must be safe between single quotes in the script. */
function word(text: string, pattern: RegExp): string {
	assert(pattern.test(text), `${JSON.stringify(text)} cannot be in user-data`);
	return text;
}

function hex(sum: string): string {
	return word(sum, /^[0-9a-f]{64}$/);
}

function whole(ms: number): number {
	assert(Number.isSafeInteger(ms) && ms > 0, `a time must be a whole number of ms, got ${ms}`);
	return ms;
}
