import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import {
	aSpec,
	aStart,
	type ClusterHarness,
	eventually,
	find,
	READY,
	readAll,
	untilPhase,
	untilPrinted,
	untilStopped,
} from "./cluster-harness.ts";

export function startCases(site: () => ClusterHarness): void {
	it("observes the site's pools and slots", async () => {
		const { driver, poolId, accelerator, slots } = site();
		const seen = await driver.observe();
		const pool = seen.pools.find((p) => p.id === poolId);
		expect(pool).toMatchObject({ accelerator, unavailableSlots: [] });
		expect((pool?.nodes ?? 0) * (pool?.gpusPerNode ?? 0)).toBe(slots);
		expect(seen.attempts).toEqual([]);
	});

	it("reports nodes with their state and GPUs in use, and updates them as jobs start and end", async () => {
		const h = site();
		const inPool = async () => (await h.driver.observe()).nodes.filter((n) => n.poolId === h.poolId);
		const used = async () => (await inPool()).reduce((sum, n) => sum + n.gpusUsed, 0);
		const nodes = await inPool();
		expect(nodes.reduce((sum, n) => sum + n.gpus, 0)).toBe(h.slots);
		expect(new Set(nodes.map((n) => n.name)).size).toBe(nodes.length);
		expect(nodes.filter((n) => n.name === "" || n.state !== "ready")).toEqual([]);
		const before = await used();
		const request = aStart(h, untilStopped(), { slots: [0, 1] });
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "running");
		await eventually(h, "two GPUs more are used", async () => (await used()) === before + 2);
		await h.driver.stop(request.attemptId, 0);
		await untilPhase(h, request.attemptId, "exited");
		await eventually(h, "they are free again", async () => (await used()) === before);
	});

	it("runs an attempt on its slots to its end", async () => {
		const h = site();
		const before = h.nowMs();
		const request = aStart(h, untilStopped({ exitCode: 0 }), { slots: [1, 3] });
		await h.driver.start(request);
		const running = await untilPhase(h, request.attemptId, "running");
		expect(running).toMatchObject({ slots: [1, 3], exit: null, finishedAtMs: null });
		expect(running.startedAtMs).toBeGreaterThanOrEqual(before - 1_000);
		await untilPrinted(h, request.attemptId, READY);
		await h.driver.stop(request.attemptId, 60_000);
		const ended = await untilPhase(h, request.attemptId, "exited");
		expect(ended.startedAtMs).toBe(running.startedAtMs);
		expect(ended.finishedAtMs).toBeGreaterThanOrEqual(ended.startedAtMs ?? Number.NaN);
	});

	it.each([0, 1, 3, 42, 255])("reports exit code %i", async (code) => {
		const h = site();
		const request = aStart(h, { end: { code } });
		await h.driver.start(request);
		expect((await untilPhase(h, request.attemptId, "exited")).exit).toEqual({ code, signal: null, error: null });
	});

	it.each(["SIGKILL", "SIGSEGV"] as const)("reports termination by %s", async (signal) => {
		const h = site();
		const request = aStart(h, { end: { signal } });
		await h.driver.start(request);
		expect((await untilPhase(h, request.attemptId, "exited")).exit).toEqual({ code: null, signal, error: null });
	});

	it("reports a command that does not exist", async () => {
		const h = site();
		const request = aStart(h, { end: null }, { spec: aSpec({ command: ["no-such-command-9f3a", "--x"], gpus: 1 }) });
		await h.driver.start(request);
		const ended = await untilPhase(h, request.attemptId, "exited");
		expect(ended.startedAtMs).toBeNull();
		expect(ended.exit).toMatchObject({ code: null, signal: null, failedAt: "start" });
		expect(ended.exit?.error).toContain("no-such-command-9f3a");
	});

	it("starts one process per attempt, also when the start is concurrent, repeated, or sent after its end", async () => {
		const h = site();
		const request = aStart(h, { print: { stdout: ["here"] }, end: { code: 0 } });
		await Promise.all(Array.from({ length: 8 }, () => h.driver.start(request)));
		await h.driver.start(request);
		const first = await untilPhase(h, request.attemptId, "exited");
		await h.driver.start(request);
		expect(await find(h.driver, request.attemptId)).toEqual(first);
		expect((await readAll(h.driver, request.attemptId)).map((l) => l.text)).toEqual(["here"]);
	});

	it("runs attempts side by side and lists each once", async () => {
		const h = site();
		const requests = [0, 1, 2, 3].map((slot) => aStart(h, untilStopped(), { slots: [slot] }));
		await Promise.all(requests.map((r) => h.driver.start(r)));
		for (const r of requests) await untilPhase(h, r.attemptId, "running");
		const listed = (await h.driver.observe()).attempts.map((a) => a.attemptId);
		expect(listed.toSorted()).toEqual(requests.map((r) => r.attemptId).toSorted());
	});

	it("rejects a slot of another live attempt until that attempt ends", async () => {
		const h = site();
		const first = aStart(h, untilStopped(), { slots: [0, 1] });
		const second = aStart(h, { end: { code: 0 } }, { slots: [1] });
		await h.driver.start(first);
		await expect(h.driver.start(second)).rejects.toMatchObject({ name: "DriverError", kind: "insufficient_capacity" });
		expect(await find(h.driver, second.attemptId)).toBeUndefined();
		await untilPrinted(h, first.attemptId, READY);
		await h.driver.stop(first.attemptId, 60_000);
		await untilPhase(h, first.attemptId, "exited");
		await h.driver.start(second);
		await untilPhase(h, second.attemptId, "exited");
	});

	it.each([
		["a slot that does not exist", { slots: [4096] }],
		["an invalid attempt id", { attemptId: "../../etc" }],
	])("rejects %s", async (_what, changes) => {
		const h = site();
		const request = aStart(h, { end: { code: 0 } }, changes);
		await expect(h.driver.start(request)).rejects.toMatchObject({ name: "DriverError", kind: "invalid_request" });
		expect((await h.driver.observe()).attempts).toEqual([]);
	});

	it("reports an ended attempt until forget is called, and never forgets a live one", async () => {
		const h = site();
		const ended = aStart(h, { end: { code: 0 } });
		const live = aStart(h, untilStopped(), { slots: [1] });
		await h.driver.start(ended);
		await h.driver.start(live);
		await untilPhase(h, ended.attemptId, "exited");
		await untilPhase(h, live.attemptId, "running");
		await h.driver.forget(ended.attemptId);
		await h.driver.forget(ended.attemptId);
		expect(await find(h.driver, ended.attemptId)).toBeUndefined();
		await expect(h.driver.forget(live.attemptId)).rejects.toMatchObject({ kind: "invalid_request" });
		expect(await find(h.driver, live.attemptId)).toMatchObject({ phase: "running" });
	});

	it("passes the command as argv, without shell expansion", async (context) => {
		const h = site();
		if (!h.features.realProcesses) context.skip("this site does not have it");
		const argument = `$HOME \`id\` $(id) ; && | > < * ~ "two  spaces" 'quoted' \\ \n line`;
		const request = aStart(h, { end: null }, { spec: aSpec({ command: ["printf", "%s", argument], gpus: 1 }) });
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "exited");
		expect((await readAll(h.driver, request.attemptId)).map((l) => l.text).join("\n")).toBe(argument);
	});

	it("starts from the given checkpoint and leaves new ones in the checkpoint folder", async (context) => {
		const h = site();
		if (!h.features.checkpointFolder) context.skip("this site does not have it");
		const scratch = aStart(h, untilStopped(), { slots: [3] });
		await h.driver.start(scratch);
		const from = h.driver.checkpointFolder(scratch.attemptId);
		if (from === null) throw new Error("the driver names no checkpoint folder");
		await mkdir(path.join(from, "deep"), { recursive: true });
		await writeFile(path.join(from, "deep", "step"), "41");
		const script = 'cat "$SPILLWAY_CHECKPOINT_DIR/deep/step"; echo 42 > "$SPILLWAY_CHECKPOINT_DIR/deep/step"';
		const spec = aSpec({ command: ["sh", "-c", script], gpus: 1, checkpoint: { path: "/state", intervalMs: 60_000 } });
		const request = aStart(h, { end: null }, { spec, restoreFrom: from });
		await h.driver.start(request);
		expect((await untilPhase(h, request.attemptId, "exited")).exit?.code).toBe(0);
		expect((await readAll(h.driver, request.attemptId)).map((l) => l.text)).toEqual(["41"]);
		const folder = h.driver.checkpointFolder(request.attemptId) ?? "";
		expect(await readFile(path.join(folder, "deep", "step"), "utf8")).toBe("42\n");
	});
}
