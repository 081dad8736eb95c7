import { createHash } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { triggerObject } from "#server/db/schema/trigger.ts";
import { decideArrival } from "#server/domain/trigger/decide-arrival.ts";
import type { DataSource } from "#server/domain/trigger/trigger.ts";
import { insertRecords } from "#server/services/core/insert-records.ts";
import type { TriggerRow } from "#server/services/work/trigger/read.ts";
import type { QuoteContext } from "../pipeline/quote.ts";
import type { Checked, Firing } from "./fire.ts";

/** An object at a location. `changedAtMs`: its modification time. */
export interface FoundObject {
	path: string;
	bytes: number;
	changedAtMs: number;
}

/** Lists a location, including subfolders. @throws Error with the reason when it cannot be listed */
export type ListObjects = (uri: string) => Promise<FoundObject[]>;

const OBJECTS_MAX = 100_000;
const OBJECTS_SHOWN = 100;

/**
 * Compares a location with its last known contents. Objects of a firing are marked as used in its transaction, so each version of an object
 * is part of at most one firing.
 */
export async function checkLocation(ctx: QuoteContext, row: TriggerRow, source: DataSource, listObjects: ListObjects): Promise<Checked> {
	const nowMs = ctx.clock.nowMs();
	const found = await listObjects(source.uri);
	if (found.length > OBJECTS_MAX) throw new Error(`${source.uri} has ${found.length} objects; the limit is ${OBJECTS_MAX}`);
	const isFirst = row.checkedAt === null;
	const fresh = await ctx.db.transaction((tx) => recordObjects(tx, row.id, found, { nowMs, used: isFirst && !source.existing }));
	const bytes = fresh.objects.reduce((sum, object) => sum + object.bytes, 0);
	const { fires, why } = decideArrival(source, { files: fresh.objects.length, bytes, changedAtMs: fresh.changedAtMs }, nowMs);
	const next = { nextCheckMs: nowMs + source.everyMs, nextAtMs: null };
	if (!fires) return { firings: [], status: why, ...next };
	const paths = fresh.objects.map(({ path }) => path);
	const saw = {
		...{ time: new Date(nowMs).toISOString(), files: paths.length, bytes, uri: source.uri },
		objects: paths.slice(0, OBJECTS_SHOWN),
	};
	const key = keyOf(fresh.objects);
	return { firings: [{ key, saw }], status: null, ...next, settle: (tx, firing) => useObjects(tx, row.id, fresh.objects, firing) };
}

interface Versioned {
	path: string;
	version: string;
	bytes: number;
}

function keyOf(objects: readonly Versioned[]): string {
	const hash = createHash("sha256");
	for (const { path, version } of objects) hash.update(`${path}\0${version}\n`);
	return hash.digest("hex");
}

/** Records the current objects. @returns the objects not used by a firing, by path, and when one last changed or disappeared */
async function recordObjects(
	tx: Tx,
	triggerId: string,
	found: readonly FoundObject[],
	{ nowMs, used }: { nowMs: number; used: boolean },
): Promise<{ objects: Versioned[]; changedAtMs: number | null }> {
	const seenAt = new Date(nowMs).toISOString();
	const rows = found.map(({ path, bytes, changedAtMs }) => ({
		...{ triggerId, path, version: `${bytes} ${Math.floor(changedAtMs)}`, bytes, seenAt },
		firing: used ? "existing" : null,
	}));
	await insertRecords(
		tx,
		"trigger_object",
		rows,
		`on conflict (trigger_id, path) do update set version = excluded.version, bytes = excluded.bytes, seen_at = excluded.seen_at, firing = null
		where trigger_object.version <> excluded.version`,
	);
	const paths = found.map(({ path }) => path);
	await tx
		.delete(triggerObject)
		.where(sql`${triggerObject.triggerId} = ${triggerId} and not (${triggerObject.path} = any(${sql.param(paths)}::text[]))`);
	const objects = await tx
		.select({ path: triggerObject.path, version: triggerObject.version, bytes: triggerObject.bytes, seenAt: triggerObject.seenAt })
		.from(triggerObject)
		.where(sql`${triggerObject.triggerId} = ${triggerId} and ${triggerObject.firing} is null`)
		.orderBy(triggerObject.path);
	const changedAtMs = objects.length === 0 ? null : Math.max(...objects.map((object) => object.seenAt.getTime()));
	return { objects, changedAtMs };
}

async function useObjects(tx: Tx, triggerId: string, objects: readonly Versioned[], { key }: Firing): Promise<void> {
	const used = JSON.stringify(objects.map(({ path, version }) => ({ path, version })));
	await tx
		.update(triggerObject)
		.set({ firing: key })
		.where(
			sql`${eq(triggerObject.triggerId, triggerId)} and (path, version) in (select path, version from jsonb_to_recordset(${used}::jsonb) as u(path text, version text))`,
		);
}
