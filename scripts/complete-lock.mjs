// Adds to package-lock.json the optional packages of other platforms that the local registry did not serve. Without them, `npm
// ci` of npm 11 rejects the lock ("Missing: @next/swc-darwin-arm64@… from lock file"). Run it after every change of the
// dependencies: `npm run lock`. Usage: node scripts/complete-lock.mjs [package-lock.json]
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** Words in package names for values of `process.platform` and `process.arch`. */
const OS_WORDS = new Map([
	["android", "android"],
	["darwin", "darwin"],
	["freebsd", "freebsd"],
	["linux", "linux"],
	["linuxmusl", "linux"],
	["netbsd", "netbsd"],
	["openbsd", "openbsd"],
	["openharmony", "openharmony"],
	["sunos", "sunos"],
	["aix", "aix"],
	["win32", "win32"],
	["windows", "win32"],
]);
const CPU_WORDS = new Map([
	["x64", "x64"],
	["arm64", "arm64"],
	["ia32", "ia32"],
	["arm", "arm"],
	["armv7", "arm"],
	["ppc64", "ppc64"],
	["ppc64le", "ppc64"],
	["riscv64", "riscv64"],
	["s390x", "s390x"],
	["loong64", "loong64"],
	["mips64el", "mips64el"],
	["wasm32", "wasm32"],
]);

/**
 * @param {{packages: Record<string, any>}} lock parsed package-lock.json (lockfileVersion 3)
 * @returns {{packages: Record<string, any>, added: string[], skipped: string[]}} `skipped`: names that contain no platform
 */
export function completePackages(lock) {
	const packages = { ...lock.packages };
	const added = [];
	const skipped = [];
	for (const [from, entry] of Object.entries(lock.packages)) {
		for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
			if (!/^\d/.test(version) || isReachable(packages, from, name)) continue;
			const platform = platformOf(name);
			if (!platform) {
				skipped.push(name);
				continue;
			}
			packages[`node_modules/${name}`] = inNpmOrder({ version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true });
			added.push(`${name}@${version}`);
		}
	}
	const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
	return { packages: Object.fromEntries(sorted), added, skipped };
}

/** Whether Node's lookup from the package at `from` upwards finds `name` in the lock. */
function isReachable(packages, from, name) {
	let folder = from;
	for (;;) {
		if (packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`]) return true;
		if (folder === "") return false;
		const up = folder.lastIndexOf("/node_modules/");
		folder = up < 0 ? "" : folder.slice(0, up);
	}
}

/** npm writes `version` first and the rest by name. The same order here means a later `npm install` leaves the lock unchanged. */
function inNpmOrder({ version, ...rest }) {
	return { version, ...Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function platformOf(name) {
	const words = name.split("/").at(-1).split(/[-.]/);
	const os = words.map((word) => OS_WORDS.get(word)).find(Boolean);
	const cpu = words.map((word) => CPU_WORDS.get(word)).find(Boolean);
	if (!os && cpu !== "wasm32") return undefined;
	const libc = words.some((word) => word.includes("musl")) ? ["musl"] : undefined;
	return { ...(cpu ? { cpu: [cpu] } : {}), ...(os ? { os: [os] } : {}), ...(libc ? { libc } : {}) };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const file = process.argv[2] ?? "package-lock.json";
	const lock = JSON.parse(readFileSync(file, "utf8"));
	const { packages, added, skipped } = completePackages(lock);
	writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
	console.log(`${file}: ${added.length} packages of other platforms added${skipped.length ? `; left out: ${skipped.join(", ")}` : ""}.`);
}
