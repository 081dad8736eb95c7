// Free ports on loopback, and the processes that hold the others.
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { readJson, writeJson } from "./home.mjs";
import { PlainError } from "./plain-error.mjs";
import { commandLine } from "./process-identity.mjs";

export const HOST = "127.0.0.1";

/**
 * @param {string | undefined} text the value of SPILLWAY_PORT
 * @throws {PlainError} unless it is a whole number from 1 to 65535
 */
export function parsePort(text, fallback) {
	if (text === undefined || text === "") return fallback;
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
	throw new PlainError(
		`SPILLWAY_PORT is "${text}", which is not a port.`,
		"set it to a whole number from 1 to 65535, or leave it out for 3000.",
	);
}

/** @returns {Promise<"free" | "taken" | "forbidden">} */
function portState(port) {
	return new Promise((resolve) => {
		const server = net.createServer();
		server.once("error", (error) => resolve(error.code === "EACCES" ? "forbidden" : "taken"));
		server.listen({ host: HOST, port, exclusive: true }, () => server.close(() => resolve("free")));
	});
}

/** Below the ephemeral ports of operating systems (Linux from 32768 on, others from 49152), and above the well-known ones. */
const OWN_PORTS = { first: 20_000, count: 12_000 };

/**
 * A free port for a server that needs one as an argument. The system does not assign it to a connection or to a listener
 * on port 0 before the server listens. Prefer letting the server choose where possible.
 * @returns {Promise<number>}
 * @throws {PlainError} when a hundred random ports are all taken
 */
export async function freePort() {
	for (let tries = 0; tries < 100; tries++) {
		const port = OWN_PORTS.first + randomInt(OWN_PORTS.count);
		if ((await portState(port)) === "free") return port;
	}
	throw new PlainError(`No free port was found on ${HOST}.`, "see that this account may open ports there.");
}

/**
 * The ports of the inner services, remembered across starts and chosen again when taken.
 * @param {string} home
 * @param {string[]} names
 * @param {number[]} avoid
 * @returns {Promise<Record<string, number>>}
 */
export async function rememberedPorts(home, names, avoid = []) {
	const file = path.join(home, "ports.json");
	const known = readJson(file) ?? {};
	const chosen = { ...known };
	for (const name of names) {
		const others = Object.entries(chosen).flatMap(([other, port]) => (other === name ? [] : [port]));
		let port = known[name];
		while (!Number.isInteger(port) || avoid.includes(port) || others.includes(port) || (await portState(port)) !== "free")
			port = await freePort();
		chosen[name] = port;
	}
	if (JSON.stringify(known) !== JSON.stringify(chosen)) writeJson(file, chosen, 0o644);
	return chosen;
}

/**
 * Fails with the holder of the port and the remedy.
 * @throws {PlainError}
 */
export async function requireFreePort(port) {
	const state = await portState(port);
	if (state === "free") return;
	if (state === "forbidden")
		throw new PlainError(`Port ${port} may only be opened by root.`, "choose one from 1024 up, for example: SPILLWAY_PORT=3000 npm start");
	let other = port + 1;
	while (other < 65_535 && (await portState(other)) !== "free") other++;
	throw new PlainError(
		`Port ${port} on ${HOST} is taken by ${await portHolder(port)}.`,
		`stop that program, or start Spillway on another port: SPILLWAY_PORT=${other} npm start`,
	);
}

/** @returns {Promise<string>} such as "another Spillway (process 4711: node server/bin/web.ts)" or "a web server" */
export async function portHolder(port) {
	const owner = portOwner(port);
	const who = owner ? ` (process ${owner}: ${shorten(commandLine(owner))})` : "";
	try {
		const answer = await fetch(`http://${HOST}:${port}/readyz`, { signal: AbortSignal.timeout(1500), redirect: "manual" });
		const body = await answer.json().catch(() => undefined);
		return (typeof body?.instance === "string" ? "another Spillway" : "a web server") + who;
	} catch {
		return `another program${who}`;
	}
}

const shorten = (text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

/**
 * The process that listens on the port, from Linux's socket tables; undefined on other systems or if it belongs to another user.
 */
function portOwner(port) {
	const wanted = port.toString(16).toUpperCase().padStart(4, "0");
	try {
		const inodes = new Set();
		for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
			for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
				const fields = line.trim().split(/\s+/);
				if (fields[1]?.endsWith(`:${wanted}`) && fields[3] === "0A") inodes.add(`socket:[${fields[9]}]`);
			}
		}
		return readdirSync("/proc")
			.map(Number)
			.filter(Number.isInteger)
			.find((pid) => holdsSocket(pid, inodes));
	} catch {
		return undefined;
	}
}

function holdsSocket(pid, inodes) {
	try {
		return readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`)));
	} catch {
		return false;
	}
}
