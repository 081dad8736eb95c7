import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { createTestDatabase } from "#server/db/testing/database.ts";
import { measureData } from "./data-run.ts";

it("saves, restores and uploads with the agent's code, with no byte of a file through the control plane", async () => {
	const database = await createTestDatabase();
	const folder = await mkdtemp(path.join(tmpdir(), "spillway-bench-data-"));
	try {
		const sizes = { ranks: 2, bytesPerRank: 300_000, artifactBytes: 200_000 };
		const { checkpoint, artifact, restore } = await measureData(database.db, folder, sizes, () => {});
		expect(checkpoint).toMatchObject({ ranks: 2, bytes: 600_000, bytesThroughControlPlane: 0 });
		expect([artifact.bytes, restore.bytes]).toEqual([200_000, 600_000]);
	} finally {
		await database.drop();
		await rm(folder, { recursive: true, force: true });
	}
});
