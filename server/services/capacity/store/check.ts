import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { eq } from "drizzle-orm";
import { store } from "#server/db/schema/store.ts";
import { issuesCredentials, type OpenStore } from "#server/domain/store.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { openStore, type StoreBox, type StoreContext } from "./box.ts";
import { storeById } from "./find.ts";

export interface StoreCheck {
	steps: { title: string; problem: string | null }[];
	problem: string | null;
}

/** Writes, reads, lists and deletes a small file, and issues credentials for its folder. @throws SpillwayError `forbidden`, `not_found` */
export async function checkStore(ctx: StoreContext, id: string): Promise<StoreCheck> {
	authorize(ctx, "store:manage", null);
	const row = await storeById(ctx.db, id);
	const result = await runCheck(ctx.stores, openStore(ctx.stores, row));
	await ctx.db
		.update(store)
		.set({ checkedAt: new Date(ctx.clock.nowMs()), problem: result.problem })
		.where(eq(store.id, id));
	return result;
}

/** Checks a store that need not be recorded yet. The first failing step ends the check. */
export async function runCheck({ port }: StoreBox, opened: OpenStore): Promise<StoreCheck> {
	const folder = `checks/${Date.now().toString(36)}`;
	const content = "Spillway checks this store.\n";
	const local = await mkdtemp(path.join(tmpdir(), "spillway-check-"));
	const work: [string, () => Promise<void>][] = [
		["Write a file", () => port.upload(opened, { folder: local, paths: ["check.txt"] }, folder)],
		["List it", async () => assertThat((await port.list(opened, folder)).get("check.txt") === content.length, "the file is not listed")],
		[
			"Read it",
			async () => assertThat((await buffer(port.read(opened, `${folder}/check.txt`))).toString() === content, "the file has other content"),
		],
		["Delete it", () => port.remove(opened, folder)],
	];
	if (issuesCredentials(opened.config))
		work.push([
			"Issue credentials for one folder",
			async () => void (await port.grant(opened, { folder, mode: "write", lifetimeMs: HOUR_MS, session: "spillway_check" })),
		]);
	const steps: StoreCheck["steps"] = [];
	try {
		await writeFile(path.join(local, "check.txt"), content);
		for (const [title, run] of work) {
			const problem = await run().then(
				() => null,
				(error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 500),
			);
			steps.push({ title, problem });
			if (problem !== null) return { steps, problem: `${title}: ${problem}` };
		}
		return { steps, problem: null };
	} finally {
		await rm(local, { recursive: true, force: true });
	}
}

function assertThat(ok: boolean, problem: string): void {
	if (!ok) throw new Error(problem);
}
