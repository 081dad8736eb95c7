// `npm run dev`: restarts the programs when their code changes. Next reloads the pages itself.
import { watch } from "node:fs";
import path from "node:path";
import { root } from "./node.mjs";

/** Editors write a file in several steps, and a branch switch changes many files. */
const SETTLE_MS = 150;
const EMULATOR = /^emulators\/|^bin\/[a-z]+-emulator\.ts$/;

/**
 * @param {string} file the changed file, relative to `server/`
 * @returns {"programs" | "clouds" | null} the programs that run this code: web server and scheduler, emulated clouds, or none
 */
export function affectedBy(file) {
	if (!file.endsWith(".ts") || /\.test\.ts$|(^|\/)testing\//.test(file)) return null;
	return EMULATOR.test(file) ? "clouds" : "programs";
}

/**
 * @param {{programs: import("./children.mjs").Child[], clouds: import("./children.mjs").Child[], say(line: string): void}} options
 * @returns {{close(): void}}
 */
export function restartOnChange({ programs, clouds, say }) {
	const groups = { programs, clouds };
	const pending = new Map();
	let timer;
	const restart = () => {
		for (const [group, file] of pending) {
			say(`server/${file} changed: restarting ${groups[group].map(({ name }) => name).join(" and ")}.`);
			for (const program of groups[group]) program.restart();
		}
		pending.clear();
	};
	const watcher = watch(path.join(root, "server"), { recursive: true }, (_event, file) => {
		const group = file && affectedBy(file.split(path.sep).join("/"));
		if (!group) return;
		pending.set(group, file);
		clearTimeout(timer);
		timer = setTimeout(restart, SETTLE_MS);
	});
	return {
		close() {
			clearTimeout(timer);
			watcher.close();
		},
	};
}
