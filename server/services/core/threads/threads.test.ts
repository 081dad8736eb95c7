import { afterEach, describe, expect, it } from "vitest";
import type { Actor } from "../context.ts";
import { offLoop, setThreadPool } from "./off-loop.ts";
import { WorkerPool } from "./pool.ts";

const PROGRAM = `import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ task, input }) => {
	if (task === "spin") for (;;);
	if (task === "end") process.exit(1);
	const known = { code: "invalid_input", fix: "correct it", fields: [] };
	parentPort.postMessage(task === "refuse" ? { ok: false, error: new Error("no"), known } : { ok: true, output: [input, process.pid] });
});`;
const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
const person = (accountId: string): { actor: Actor } => ({
	actor: { kind: "person", accountId, name: "x", role: "finance", teams: [], via: "token" },
});
const inPlace = () => {
	throw new Error("computed in place");
};

describe("threads", () => {
	let pool: WorkerPool;
	const open = (limitMs = 60_000) => {
		pool = new WorkerPool(program, { size: 2, limitMs });
		setThreadPool(pool);
	};
	afterEach(async () => {
		setThreadPool(null);
		await pool.close();
	});

	it("compute, pass on errors, and continue after a thread dies", async () => {
		open();
		const ann = person("ann");
		expect(await offLoop(ann, "echo", inPlace, { a: 1n })).toEqual([{ a: 1n }, process.pid]);
		await expect(offLoop(ann, "refuse", inPlace, 1)).rejects.toMatchObject({ code: "invalid_input", message: "no", fix: "correct it" });
		await expect(offLoop(ann, "end", inPlace, 1)).rejects.toThrow();
		expect(await offLoop(ann, "echo", inPlace, 2)).toEqual([2, process.pid]);
	});

	it("end a computation that takes too long", async () => {
		open(50);
		await expect(offLoop(person("ann"), "spin", inPlace, 1)).rejects.toMatchObject({ code: "invalid_input" });
	});

	it("run one computation per person at a time, and reject more waiting tasks than a batch", async () => {
		open();
		const running: string[] = [];
		let most = 0;
		setThreadPool({
			run: async (_, input) => {
				running.push(String(input));
				most = Math.max(most, running.filter((who) => who === input).length);
				await new Promise((resolve) => setImmediate(resolve));
				running.splice(running.indexOf(String(input)), 1);
				return input;
			},
			close: async () => undefined,
		});
		const asked = Array.from({ length: 41 }, () => offLoop(person("ann"), "x", inPlace, "ann"));
		const bob = offLoop(person("bob"), "x", inPlace, "bob");
		const settled = await Promise.allSettled(asked);
		expect(settled.filter(({ status }) => status === "rejected")).toMatchObject([{ reason: { code: "too_many_requests" } }]);
		expect(await bob).toBe("bob");
		expect(most).toBe(1);
		expect(await offLoop(person("ann"), "x", inPlace, "ann")).toBe("ann");
	});
});
