import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { watchMemory } from "./out-of-memory.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), "spillway-vmstat-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const killed = { code: null, signal: "SIGKILL", error: null };

it("distinguishes an out-of-memory kill from others by the kernel's counter", () => {
	const file = path.join(folder, "vmstat");
	const count = (n: number): void => writeFileSync(file, `pgfault 9\noom_kill ${n}\nnuma_hit 1\n`);
	count(3);
	const memory = watchMemory(file);
	expect(memory.explain(killed)).toEqual(killed);
	count(4);
	expect(memory.explain(killed)).toEqual({ ...killed, outOfMemory: true });
	// A shell reports its child's death like this.
	expect(memory.explain({ code: 137, signal: null, error: null }).outOfMemory).toBe(true);
	expect(memory.explain({ code: 1, signal: null, error: null }).outOfMemory).toBeUndefined();
});

it("reports nothing if the kernel has no counter", () => {
	expect(watchMemory(path.join(folder, "none")).explain(killed)).toEqual(killed);
});
