import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import { attemptFolder } from "./attempt-folder.ts";
import { bringData } from "./bring-data.ts";

let root: string;
beforeEach(async () => {
	root = await mkdtemp(path.join(tmpdir(), "spillway-bring-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function bring(source: string, keepsOwn: boolean): Promise<string> {
	const paths = attemptFolder(path.join(root, "site"), "att_1");
	await mkdir(paths.folder, { recursive: true });
	const spec: JobSpec = {
		...{ name: "j", team: "t", project: null, labels: {}, class: "burst", image: null, command: ["true"], env: {}, nodes: 1 },
		...{ resources: { gpus: 1, accelerators: [], cpus: null, memoryGiB: null }, duration: { estimateMs: null, maxMs: null } },
		...{ deadlineMs: null, priority: 50, critical: false, checkpoint: null },
		data: [{ uri: `file://${source}`, sizeGiB: null, mount: "/data", residency: [] }],
	};
	await bringData({ place: "the site", keepsOwn }, paths, { spec, restoreFrom: null }, new AbortController().signal);
	return path.join(paths.work, "data");
}

it("keeps files that are private to the server's user from jobs that run as someone else, or elsewhere", async () => {
	const folder = path.join(root, "home");
	await mkdir(folder);
	await writeFile(path.join(folder, "rows.csv"), "1");
	await writeFile(path.join(folder, "secrets.json"), "{}", { mode: 0o600 });
	const refusal = `${path.join(folder, "secrets.json")} is readable only by Spillway's user`;
	await expect(bring(path.join(folder, "secrets.json"), true)).rejects.toThrow(refusal);
	await expect(bring(folder, true)).rejects.toThrow(refusal);
	await expect(bring("/proc/self/environ", true)).rejects.toThrow("is readable only by Spillway");
	expect(await readFile(path.join(await bring(folder, false), "secrets.json"), "utf8")).toBe("{}");
	await chmod(path.join(folder, "secrets.json"), 0o644);
	expect(await readFile(path.join(await bring(folder, true), "secrets.json"), "utf8")).toBe("{}");
});
