import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPowerOff, powerOff } from "./power-off.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-power-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, body: string): string {
	const file = path.join(folder, name);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, `#!/bin/sh\n${body}\n`);
	chmodSync(file, 0o755);
	return file;
}

describe("findPowerOff", () => {
	it("finds the first command of each name, as an absolute path", () => {
		const first = program("guest/shutdown", "exit 0");
		program("host/shutdown", "exit 0");
		const second = program("host/poweroff", "exit 0");
		expect(findPowerOff(`relative:${folder}/guest::${folder}/host`)).toEqual([[first, "-h", "now"], [second]]);
	});

	it("does not fall back to another machine's command when its own is deleted later", async () => {
		const own = program("guest/shutdown", "exit 0");
		const host = program("host/shutdown", `touch '${folder}/host-off'`);
		const found = findPowerOff(`${path.dirname(own)}:${path.dirname(host)}`);
		rmSync(own);
		const failed = new Promise<string>((resolve) => void powerOff(found, resolve));
		expect(await failed).toContain(own);
		expect(existsSync(path.join(folder, "host-off"))).toBe(false);
	});
});

describe("powerOff", () => {
	it("tries the next command when one fails", async () => {
		const commands = [[program("shutdown", "exit 1"), "-h", "now"], [program("poweroff", `touch '${folder}/off'`)]] as const;
		await powerOff(commands, () => {});
		expect(existsSync(path.join(folder, "off"))).toBe(true);
	});
});
