import { inflateRawSync } from "node:zlib";
import { inArray } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { decisionPart } from "#server/db/schema/decision-part.ts";
import { job } from "#server/db/schema/job.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { DurationStat, ForeignJob, PendingJob, RunningAttempt, Snapshot } from "#server/scheduling/types.ts";
import { RUN_USER, withUser } from "#server/services/work/job/run-user.ts";
import { hashOf, type InputRoot, WHOLE_FIELDS } from "./input-parts.ts";
import { KEPT_DAYS } from "./record-input.ts";
import { dataOf } from "./snapshot-text.ts";

/** Rows per statement. */
const BATCH = 500;

/**
 * The snapshot that a decision was made from. `policyOf` reads the version in force at the time.
 * @throws SpillwayError `conflict` when parts of it were deleted, or differ from what was written.
 */
export async function readInput(db: DbOrTx, hash: string, policyOf: (name: string, version: number) => Promise<Policy>): Promise<Snapshot> {
	const root = (await readParts(db, [hash])).get(hash) as InputRoot;
	const { offers, observed, pending, running, durations, foreign } = root.parts;
	const whole = WHOLE_FIELDS.flatMap((field) => {
		const name = root.parts[field] ?? null;
		return name === null ? [] : [{ field, name }];
	});
	const parts = await readParts(db, [
		...[offers, pending, running, durations, foreign ?? []].flat(),
		observed,
		...whole.map(({ name }) => name),
	]);
	const all = <T>(names: readonly string[]): T[] => names.flatMap((name) => parts.get(name) as T[]);
	const seen = parts.get(observed) as number[];
	const waiting = all<Omit<PendingJob, "spec">>(pending);
	const live = all<Omit<RunningAttempt, "spec">>(running);
	const specs = await readSpecs(
		db,
		[...waiting, ...live].map(({ jobId }) => jobId),
	);
	const withSpec = <T extends { jobId: string }>(item: T) => ({ ...item, spec: defined(specs.get(item.jobId), "spec of a recorded job") });
	return {
		...root.rest,
		policy: await policyOf(root.policyName, root.rest.policyVersion),
		offers: all<Omit<Offer, "priceObservedAtMs">>(offers).map((offer, i) => ({ ...offer, priceObservedAtMs: seen[i] ?? 0 })),
		pending: waiting.map(withSpec),
		running: live.map(withSpec),
		durations: all<DurationStat>(durations),
		...(foreign && { foreign: all<ForeignJob>(foreign) }),
		...(Object.fromEntries(whole.map(({ field, name }) => [field, parts.get(name)])) as Partial<Snapshot>),
	};
}

async function readParts(db: DbOrTx, hashes: readonly string[]): Promise<Map<string, unknown>> {
	const parts = new Map<string, unknown>();
	for (let i = 0; i < hashes.length; i += BATCH) {
		const batch = hashes.slice(i, i + BATCH);
		const rows = await db
			.select({ hash: decisionPart.hash, body: decisionPart.body })
			.from(decisionPart)
			.where(inArray(decisionPart.hash, batch));
		for (const { hash, body } of rows) {
			const text = inflateRawSync(body).toString("utf8");
			if (hashOf(text) !== hash) throw changed(hash);
			parts.set(hash, dataOf(text));
		}
	}
	if (hashes.some((hash) => !parts.has(hash))) throw gone();
	return parts;
}

function gone(): SpillwayError {
	return new SpillwayError(
		"conflict",
		`What this decision was made from is not on record any more: it is kept for ${KEPT_DAYS} days after its last use. The decision itself stays as it was.`,
		{ fix: "Show it without --replay." },
	);
}

function changed(hash: string): SpillwayError {
	return new SpillwayError(
		"conflict",
		`Part ${hash} of what this decision was made from is not what was written: its hash differs, so it was changed in the database.`,
		{ fix: "Compare the table decision_part with a backup, and check who can write to the database." },
	);
}

async function readSpecs(db: DbOrTx, jobIds: readonly string[]): Promise<Map<string, JobSpec>> {
	const specs = new Map<string, JobSpec>();
	for (let i = 0; i < jobIds.length; i += BATCH) {
		const rows = await db
			.select({ id: job.id, spec: job.spec, user: RUN_USER })
			.from(job)
			.where(inArray(job.id, [...new Set(jobIds.slice(i, i + BATCH))]));
		for (const { id, spec, user } of rows) specs.set(id, withUser(spec, user));
	}
	return specs;
}
