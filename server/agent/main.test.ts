import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

/** The only folder in which programs are looked up. Its power-off commands only record that they were called. */
let bin: string;
beforeEach(() => {
	bin = mkdtempSync(path.join(os.tmpdir(), "spillway-agent-main-"));
	for (const name of ["shutdown", "poweroff"]) writeFileSync(path.join(bin, name), `#!/bin/sh\n: > '${bin}/off'\n`, { mode: 0o755 });
});
afterEach(() => rmSync(bin, { recursive: true }));

function runAgent(settings: Record<string, string>): Promise<number | null> {
	const child = spawn(process.execPath, [path.resolve("server/agent/main.ts")], {
		stdio: "ignore",
		env: { NODE_ENV: "test", PATH: bin, ...settings },
	});
	return new Promise((resolve) => child.once("exit", resolve));
}

it("leaves the computer on when started by hand without an instance's settings", async () => {
	expect(await runAgent({})).toBe(1);
	expect(existsSync(path.join(bin, "off"))).toBe(false);
});

it("powers an instance off even when its settings are wrong", async () => {
	expect(await runAgent({ SPILLWAY_INSTANCE_ID: "ins_x", SPILLWAY_CONTROL_URL: "nonsense" })).toBe(1);
	expect(existsSync(path.join(bin, "off"))).toBe(true);
});
