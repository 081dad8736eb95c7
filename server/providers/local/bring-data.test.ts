import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RCLONE, serveStore } from "#server/agent/testing/serve-store.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { attemptFolder } from "./attempt-folder.ts";
import { bringData, dataCacheOf } from "./bring-data.ts";

let root: string;
beforeEach(async () => {
	root = await mkdtemp(path.join(tmpdir(), "spillway-bring-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const SPEC: JobSpec = {
	...{ name: "j", team: "t", project: null, labels: {}, class: "burst", image: null, command: ["true"], env: {}, nodes: 1 },
	...{ resources: { gpus: 1, accelerators: [], cpus: null, memoryGiB: null }, duration: { estimateMs: null, maxMs: null } },
	...{ deadlineMs: null, priority: 50, critical: false, checkpoint: null, data: [] },
};

async function bring(source: string, keepsOwn: boolean): Promise<string> {
	const paths = attemptFolder(path.join(root, "site"), "att_1");
	await mkdir(paths.folder, { recursive: true });
	const spec: JobSpec = {
		...SPEC,
		data: [{ uri: `file://${source}`, sizeGiB: null, mount: "/data", residency: [] }],
	};
	await bringData({ place: "the site", keepsOwn }, paths, { spec, restoreFrom: null }, new AbortController().signal);
	return path.join(paths.work, "data");
}

it.skipIf(!existsSync(RCLONE))(
	"fetches nothing for the next attempt, nor for another site with the same cache (skipped without rclone)",
	async () => {
		await mkdir(path.join(root, "store", "claims"), { recursive: true });
		await writeFile(path.join(root, "store", "claims", "rows"), "x".repeat(100_000));
		const store = await serveStore(path.join(root, "store"));
		const [, host] = store.uri.split("://");
		const remotes = path.join(root, "rclone.conf");
		await writeFile(remotes, `[lake]\ntype = webdav\nvendor = other\nurl = http://${host}\n`);
		const data = [{ uri: "rclone://lake/claims", sizeGiB: null, mount: "/data", residency: [] }];
		const cache = { path: path.join(root, "cache"), gib: 1 };
		const fetched = async (site: string, attemptId: string) => {
			const paths = attemptFolder(path.join(root, site), attemptId);
			await mkdir(paths.folder, { recursive: true });
			const request = { spec: { ...SPEC, data }, restoreFrom: null };
			await bringData({ place: "the site", keepsOwn: true, dataRemotes: remotes, cache }, paths, request, new AbortController().signal);
			expect(await readFile(path.join(paths.work, "data", "rows"), "utf8")).toHaveLength(100_000);
			return /: ([^:]+) fetched/.exec(await readFile(paths.stderr, "utf8"))?.[1];
		};
		try {
			expect(await fetched("a", "att_1")).toBe("97.7 KiB");
			expect(await fetched("a", "att_2")).toBe("0 bytes");
			expect(await fetched("b", "att_3")).toBe("0 bytes");
		} finally {
			store.stop();
		}
		expect(await dataCacheOf(path.join(root, "a"), cache).list()).toMatchObject([{ uri: "rclone://lake/claims", bytes: 100_000 }]);
	},
);

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
