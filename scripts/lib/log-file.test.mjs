import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLog } from "./log-file.mjs";

let folder;
beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-log-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("reads complete new lines, and starts where an old log ends", () => {
	const file = path.join(folder, "a.log");
	appendFileSync(file, "old\n");
	const log = openLog(file);
	const lines = [];
	const look = () => log.look((line) => lines.push(line));
	writeSync(log.fd, "one\ntw");
	look();
	expect(lines).toEqual(["one"]);
	writeSync(log.fd, "o\n");
	look();
	expect(lines).toEqual(["one", "two"]);
	log.close();
});

it("keeps a log within its limit while the program continues to write", () => {
	const file = path.join(folder, "a.log");
	const log = openLog(file, 100);
	const lines = [];
	for (let i = 0; i < 50; i++) {
		writeSync(log.fd, `line ${i}\n`);
		log.look((line) => lines.push(line));
		expect(readFileSync(file).length).toBeLessThanOrEqual(110);
	}
	expect(lines).toHaveLength(50);
	expect(readFileSync(`${file}.1`, "utf8")).toMatch(/^line \d+\n/);
	log.close();
});
