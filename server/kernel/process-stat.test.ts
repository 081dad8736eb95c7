import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { parseProcessStat, readProcessStat } from "./process-stat.mjs";

const WAITING = { timeout: 600_000, interval: 0 };
const KILLS = 12;
const THREADS = 4;

/** Its threads have memory to return to the system, so they end later than the main thread. */
const SERVER = `
const { Worker } = require("node:worker_threads");
const thread = "const held = Buffer.alloc(60_000_000, 1); require('node:worker_threads').parentPort.postMessage(held.length); setInterval(() => held[0]++, 1)";
const threads = Array.from({ length: ${THREADS} }, () => new Worker(thread, { eval: true }));
Promise.all(threads.map((each) => new Promise((resolve) => each.once("message", resolve)))).then(() => {
	const server = require("node:net").createServer().listen(0, "127.0.0.1", () => console.log(server.address().port));
});`;

const stat = (state: string, threads: number) =>
	`4711 (a) name (Z)) ${state} 1 2 3 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 ${threads} 0 5551 0 0 18446744073709551615\n`;

it("counts a zombie as running while other threads of it remain", () => {
	const running = (state: string, threads: number) => parseProcessStat(stat(state, threads))?.isRunning;
	expect([running("S", 1), running("T", 4), running("Z", 2), running("X", 2)]).toEqual([true, true, true, true]);
	expect([running("Z", 1), running("X", 1), running("X", 0)]).toEqual([false, false, false]);
	expect(parseProcessStat(stat("S", 1))).toMatchObject({ pid: 4711, parentPid: 1, groupId: 2, sessionId: 3, startedAt: "5551" });
	expect(["", "4711", "4711 (sh) S 1 2", "4711 (sh"].map(parseProcessStat)).toEqual([null, null, null, null]);
});

it.skipIf(readProcessStat("self") === null)("shows that a killed server has released its port", async () => {
	for (let kills = 0; kills < KILLS; kills++) {
		const { server, port } = await startServer();
		server.kill("SIGKILL");
		await vi.waitUntil(() => readProcessStat(Number(server.pid))?.isRunning !== true, WAITING);
		expect(await listen(port), `after kill ${kills + 1}`).toBe("listens");
	}
});

async function startServer(): Promise<{ server: ChildProcess; port: number }> {
	const server = spawn(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
	onTestFinished(() => void server.kill("SIGKILL"));
	const [line] = await once(server.stdout, "data");
	return { server, port: Number(line) };
}

async function listen(port: number): Promise<string> {
	const server = net.createServer();
	return new Promise((resolve) => {
		server.once("error", (error) => resolve(error.message));
		server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve("listens")));
	});
}
