import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { readRemotes } from "#server/agent/read-remotes.ts";
import { stageData } from "#server/agent/stage.ts";
import { CopiesAhead } from "#server/control-loop/copies-ahead.ts";
import { World } from "#server/control-loop/testing/world.ts";
import { defined } from "#server/kernel/assert.ts";
import { withNearestCopies } from "#server/services/capacity/data-set/nearest-copies.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { systemContext } from "#server/services/core/context.ts";
import { dataCopier } from "./data-copier.ts";

let folder: string;
let world: World;

beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-ahead-"));
	world = await World.open({ slots: 0 });
});
afterEach(async () => {
	await world.database.drop();
	await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!existsSync("/usr/bin/rclone"))("copying ahead, by a real rclone (skipped where none is installed)", () => {
	it("copies a folder of this host to a machine that cannot read it, through the region's store", async () => {
		await mkdir(path.join(folder, "rows"));
		await writeFile(path.join(folder, "rows", "a.csv"), "1\n2\n");
		const remotesFile = path.join(folder, "remotes.conf");
		await writeFile(remotesFile, `[stage]\ntype = alias\nremote = ${path.join(folder, "store")}\n`, { mode: 0o600 });
		const uri = pathToFileURL(path.join(folder, "rows")).href;
		await setDataSets(systemContext(world.database.db, world.clock, "seed"), {
			items: [{ uri, copies: [{ at: "home", uri }] }],
			stores: [{ at: "aws:us-east-1", uri: "rclone://stage" }],
		});
		await world.submit({ name: "a", data: { uri, sizeGiB: 1 } });
		await world.tick();
		expect(world.cloud.instances()).toEqual([]);
		const copies = new CopiesAhead(world.ctx, dataCopier(remotesFile), new AbortController().signal);
		await copies.tend();
		await copies.done();
		await world.until(async () => world.cloud.instances().length === 1);

		const { spec, submittedAt } = defined((await world.jobs())[0], "the job");
		const { data } = await withNearestCopies(world.database.db, spec, "aws:us-east-1", submittedAt);
		expect(data[0]?.uri).toMatch(/^rclone:\/\/stage\/[0-9a-f]{24}$/);
		const work = path.join(folder, "work");
		await mkdir(work);
		const fetching = { remotes: await readRemotes(remotesFile), rclone: rcloneOfHost, ownHost: false, cache: null, log: () => {} };
		await stageData(data, { workFolder: work, place: "a machine", fetching });
		expect(await readFile(path.join(work, "data", "a.csv"), "utf8")).toBe("1\n2\n");
	});
});
