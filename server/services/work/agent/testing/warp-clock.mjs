// Loaded into the Node processes of a machine (NODE_OPTIONS=--import, with `?file=…&rate=…`), and by the test itself. Hours pass in seconds
// between the times listed in the file, one line "from until" of real Unix milliseconds each; outside them time runs normally. All
// processes read the same file, so they agree on the time. Timers set during these periods run as fast.
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import promises from "node:timers/promises";

const realNow = Date.now.bind(Date);

/** How far it is ahead of real time, ms, at a moment of real time. */
export function warpedMs(file, rate, atMs = realNow()) {
	let ms = 0;
	for (const [from, until] of spansOf(file)) ms += Math.max(0, Math.min(atMs, until) - from) * (rate - 1);
	return ms;
}

function spansOf(file) {
	try {
		return readFileSync(file, "utf8")
			.split("\n")
			.filter(Boolean)
			.map((line) => line.split(" ").map(Number));
	} catch {
		return [];
	}
}

const { file, rate = "1" } = Object.fromEntries(new URL(import.meta.url).searchParams);
if (file !== undefined) {
	const warped = () => warpedMs(file, Number(rate));
	const rateNow = () => (spansOf(file).some(([from, until]) => from <= realNow() && realNow() < until) ? Number(rate) : 1);
	const monotonic = performance.now.bind(performance);
	const uptime = os.uptime;
	const timeout = globalThis.setTimeout;
	const sleep = promises.setTimeout;
	Date.now = () => Math.round(realNow() + warped());
	performance.now = () => monotonic() + warped();
	os.uptime = () => uptime() + warped() / 1_000;
	globalThis.setTimeout = (callback, ms, ...rest) => timeout(callback, (ms ?? 0) / rateNow(), ...rest);
	promises.setTimeout = (ms, value, options) => sleep((ms ?? 0) / rateNow(), value, options);
	syncBuiltinESMExports();
}
