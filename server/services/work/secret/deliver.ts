import { and, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { jobSecret } from "#server/db/schema/job-secret.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { type DeliveredSecrets, secretValueProblem } from "#server/domain/job-secret.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { maskerOf } from "#server/kernel/mask.ts";
import type { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";
import type { SecretStore } from "./store.ts";
import { secretOwner } from "./view.ts";

export const NO_SECRETS: DeliveredSecrets = { env: {}, files: {} };

const deliveredSchema = z.object({ env: z.record(z.string(), z.string()), files: z.record(z.string(), z.string()) });

interface SecretsContext {
	db: Db;
	secretStore: SecretStore | undefined;
	nowMs: number;
}

/**
 * The values that an attempt receives: read once, and sealed with the attempt until it is over. Every machine of a gang, a repeated call
 * and the masking of its log use the same values, whatever changes meanwhile.
 * @throws SpillwayError `unavailable` when it may work later; `precondition_failed` when the attempt cannot start
 */
export async function deliverSecrets(
	ctx: SecretsContext,
	input: { attemptId: string; spec: Pick<JobSpec, "team" | "secrets"> },
): Promise<DeliveredSecrets> {
	const { attemptId, spec } = input;
	if (!spec.secrets || spec.secrets.length === 0) return NO_SECRETS;
	const { db, secretStore: store } = ctx;
	if (!store) throw new SpillwayError("precondition_failed", "This server keeps no secrets.", { fix: "Start it with SPILLWAY_HOME." });
	const before = await readSealed(db, attemptId);
	if (before !== null) return open(store.keys, attemptId, before);
	const values = await readValues(ctx, store, spec.team, [...new Set(spec.secrets.map(({ name }) => name))]);
	const delivered: DeliveredSecrets = { env: {}, files: {} };
	for (const ref of spec.secrets) {
		const value = values.get(ref.name) ?? "";
		if ("env" in ref) delivered.env[ref.env] = value;
		else delivered.files[ref.file] = value;
	}
	const sealed = store.keys.seal(attemptOwner(attemptId), JSON.stringify(delivered));
	const isFirst = and(eq(attempt.id, attemptId), isNull(attempt.sealedSecrets), isNull(attempt.finishedAt));
	await db.update(attempt).set({ sealedSecrets: sealed }).where(isFirst);
	const stored = await readSealed(db, attemptId);
	return stored === null ? delivered : open(store.keys, attemptId, stored);
}

/**
 * Masks the secrets of an attempt, and `own` values that it received besides, in lines of its log. Lines are masked completely when the
 * secrets cannot be opened.
 */
export function attemptMasker(
	store: Pick<SecretStore, "keys"> | undefined,
	row: { id: string; sealedSecrets: string | null },
	own: readonly string[],
): (line: string) => string {
	if (row.sealedSecrets === null) return maskerOf(own);
	try {
		if (!store) throw new Error("no keys");
		const { env, files } = open(store.keys, row.id, row.sealedSecrets);
		return maskerOf([...Object.values(env), ...Object.values(files), ...own]);
	} catch {
		return () => "(hidden: the secrets of this attempt could not be opened to mask them)";
	}
}

/** Reseals values that are sealed under a key other than the first. Returns how many values. */
export async function resealSecrets(db: Db, keys: CredentialKeys): Promise<number> {
	const { team, name, sealed } = jobSecret;
	let count = 0;
	for (const row of await db.select({ team, name, sealed }).from(jobSecret).where(isNotNull(sealed))) {
		if (row.sealed === null || !keys.isOld(row.sealed)) continue;
		const owner = secretOwner(row.team, row.name);
		const fresh = keys.seal(owner, keys.open(owner, row.sealed));
		// Another value may have been set meanwhile.
		const isSame = and(eq(team, row.team), eq(name, row.name), eq(sealed, row.sealed));
		count += (await db.update(jobSecret).set({ sealed: fresh }).where(isSame).returning({ name })).length;
	}
	for (const row of await db
		.select({ id: attempt.id, sealed: attempt.sealedSecrets })
		.from(attempt)
		.where(isNotNull(attempt.sealedSecrets))) {
		if (row.sealed === null || !keys.isOld(row.sealed)) continue;
		const owner = attemptOwner(row.id);
		const fresh = keys.seal(owner, keys.open(owner, row.sealed));
		const isSame = and(eq(attempt.id, row.id), eq(attempt.sealedSecrets, row.sealed));
		count += (await db.update(attempt).set({ sealedSecrets: fresh }).where(isSame).returning({ id: attempt.id })).length;
	}
	return count;
}

async function readValues(ctx: SecretsContext, store: SecretStore, team: string, names: readonly string[]): Promise<Map<string, string>> {
	const isNamed = and(eq(jobSecret.team, team), inArray(jobSecret.name, [...names]));
	const rows = new Map((await ctx.db.select().from(jobSecret).where(isNamed)).map((row) => [row.name, row]));
	const values = new Map<string, string>();
	for (const name of names) {
		const row = rows.get(name);
		if (!row)
			throw new SpillwayError("precondition_failed", `Team ${team} has no secret "${name}".`, { fix: "Set it, and submit the job again." });
		const value =
			row.source.kind === "stored" ? store.keys.open(secretOwner(team, name), row.sealed ?? "") : await store.read(team, row.source);
		const problem = secretValueProblem(value);
		if (problem !== null)
			throw new SpillwayError("precondition_failed", `The value of secret "${name}" ${problem}.`, {
				fix: "Change it, and submit the job again.",
			});
		values.set(name, value);
	}
	await ctx.db
		.update(jobSecret)
		.set({ lastUsedAt: new Date(ctx.nowMs) })
		.where(isNamed);
	return values;
}

async function readSealed(db: Db, attemptId: string): Promise<string | null> {
	const [row] = await db.select({ sealed: attempt.sealedSecrets }).from(attempt).where(eq(attempt.id, attemptId));
	return row?.sealed ?? null;
}

function open(keys: CredentialKeys, attemptId: string, sealed: string): DeliveredSecrets {
	return deliveredSchema.parse(JSON.parse(keys.open(attemptOwner(attemptId), sealed)));
}

function attemptOwner(attemptId: string): string {
	return `attempt:${attemptId}`;
}
