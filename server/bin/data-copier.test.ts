import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dataCopier } from "./data-copier.ts";

let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-copier-"));
	await writeFile(path.join(folder, "remotes.conf"), "[stage]\ntype = alias\nremote = /tmp\n", { mode: 0o600 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(["s3://acme/x", "webdav://10.0.0.1/x", "rclone://constructor/x", "rclone://__proto__/x"])(
	"does not deliver to %s, which no remote of the operator covers",
	async (target) => {
		const copier = dataCopier(path.join(folder, "remotes.conf"));
		await expect(copier.add(`file://${folder}`, target, new AbortController().signal)).rejects.toThrow(/there is no data remote "/);
	},
);
