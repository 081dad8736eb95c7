#!/usr/bin/env node
// The `spillway` command. This file runs on any Node from 20; the command itself is TypeScript and needs a Node that
// runs it, which npm installed with the project.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const folder = path.dirname(fileURLToPath(import.meta.url));
// Halves the time to the first character; does nothing if the folder is not writable.
const cache = path.resolve(folder, "../node_modules/.cache/spillway");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
	module.enableCompileCache?.(cache);
	await import("./main.ts");
} else {
	runWithProjectNode(path.resolve(folder, "../node_modules/.bin/node"));
}

/** @param {string} node */
function runWithProjectNode(node) {
	if (!existsSync(node)) {
		process.stderr.write(
			`spillway: this Node is ${process.version} and the one that the project brings is not installed: run "npm start" or "npm ci" in ${path.dirname(folder)}, or use Node 22.18 or newer.\n`,
		);
		process.exitCode = 2;
		return;
	}
	const child = spawn(node, [path.join(folder, "main.ts"), ...process.argv.slice(2)], {
		stdio: "inherit",
		env: { NODE_COMPILE_CACHE: cache, ...process.env },
	});
	// A signal of the terminal reaches both; one sent only to this process has to be passed on.
	const forwards = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
		const forward = () => child.kill(signal);
		process.on(signal, forward);
		return () => process.off(signal, forward);
	});
	child.on("error", (error) => {
		process.stderr.write(`spillway: ${node} cannot be started: ${error.message}\n`);
		process.exitCode = 2;
	});
	child.on("exit", (code, signal) => {
		for (const stop of forwards) stop();
		if (signal) process.kill(process.pid, signal);
		else process.exitCode = code ?? 6;
	});
}
