import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Commitment } from "#server/accounting/commitment.ts";
import { commitmentInput, commitmentsInput } from "#server/contract/inputs/rates.ts";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { rejectUnseen } from "#server/services/core/reject-unseen.ts";
import { readLockedSetting, writeSetting } from "#server/services/core/setting.ts";
import { COMMITMENT_ID, lockCommitments } from "./seats.ts";

/** The account's reservations and commitments: a list of commitmentInput. */
export const COMMITMENTS_SETTING = "commitments";
export type CommitmentsInput = z.input<typeof commitmentsInput>;
const stored = z.array(commitmentInput);

/** A commitment with the place where its machines launch. */
export interface BoughtAhead extends Commitment {
	zone: string | null;
	reservation: string | null;
}

/** For the ledger's and the scheduler's own use: no authorization. */
export async function readCommitments(db: DbOrTx): Promise<BoughtAhead[]> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, COMMITMENTS_SETTING));
	return parseCommitments(row?.value);
}

/** @param value the stored setting; undefined or null when there is none */
export function parseCommitments(value: unknown): BoughtAhead[] {
	return stored.parse(value ?? []).map(({ from, to, upfrontMicroUsd, hourlyMicroUsd, ...rest }) => ({
		...rest,
		...{ fromMs: Date.parse(from), toMs: Date.parse(to) },
		...{ upfrontMicroUsd: BigInt(upfrontMicroUsd), hourlyMicroUsd: BigInt(hourlyMicroUsd) },
	}));
}

/** @throws SpillwayError `forbidden`. */
export async function listCommitments(ctx: ServiceContext): Promise<z.output<typeof commitmentsInput>["items"]> {
	authorize(ctx, "rates:read", null);
	const [row] = await ctx.db.select({ value: setting.value }).from(setting).where(eq(setting.key, COMMITMENTS_SETTING));
	return stored.parse(row?.value ?? []);
}

/**
 * Replaces the list of reservations and commitments. `seen`: the list that the new one is based on; a different current list is
 * a conflict. The new list applies from the next charge on; existing charges stay.
 * @throws SpillwayError `forbidden`; `invalid_input` for a site that is not a cloud; `conflict` for a change that would remove
 * the commitment of running machines, because their budget holds cover only the marginal cost.
 */
export async function setCommitments(ctx: ServiceContext, raw: CommitmentsInput, seen?: CommitmentsInput): Promise<void> {
	authorize(ctx, "rates:change", null);
	const { items } = commitmentsInput.parse(raw);
	const known = seen && commitmentsInput.parse(seen).items;
	await ctx.db.transaction(async (tx) => {
		const sites = await tx.select({ id: site.id, provider: site.provider }).from(site);
		const clouds = new Set(sites.filter((s) => isCloudProvider(s.provider)).map((s) => s.id));
		const fields = items.flatMap((c, i) =>
			clouds.has(c.siteId) ? [] : [{ path: `items.${i}.siteId`, message: `one of ${[...clouds].join(", ") || "no clouds yet"}` }],
		);
		if (fields.length > 0)
			throw new SpillwayError("invalid_input", "A commitment names a site that is not one of your clouds.", { fields });
		await lockCommitments(tx);
		await rejectUnderMachines(tx, items);
		const before = (await readLockedSetting(tx, COMMITMENTS_SETTING)) ?? [];
		rejectUnseen(stored.parse(before), known, "The commitments");
		await writeSetting(tx, COMMITMENTS_SETTING, items);
		await writeAudit(tx, ctx, { action: "commitments.set", subject: "commitments", before, after: items });
	});
}

/** Machines launched on a commitment keep it: the list must cover the same machine type and place until they end. */
async function rejectUnderMachines(tx: Tx, items: z.output<typeof commitmentsInput>["items"]): Promise<void> {
	const used = await tx
		.select({
			...{
				id: COMMITMENT_ID,
				count: sql<number>`count(*)::int`,
				untilMs: sql<string>`(extract(epoch from max(${instance.expiresAt})) * 1000)::bigint`,
			},
			...{ siteIds: arrayOf(instance.siteId), instanceTypes: arrayOf(instance.instanceType), regions: arrayOf(instance.region) },
		})
		.from(instance)
		.where(and(eq(instance.capacityType, "reserved"), ne(instance.state, "terminated")))
		.groupBy(sql`1`);
	for (const { id, count, untilMs, siteIds, instanceTypes, regions } of used) {
		if (id === null) continue;
		const at = items.findIndex((c) => c.id === id);
		const next = items[at];
		const isOnly = (values: string[], value: string) => values.every((v) => v === value);
		const keeps =
			next !== undefined &&
			isOnly(siteIds, next.siteId) &&
			isOnly(instanceTypes, next.instanceType) &&
			(next.region === null || isOnly(regions, next.region)) &&
			next.instances >= count &&
			Date.parse(next.to) >= Number(untilMs);
		if (keeps) continue;
		const machines = count === 1 ? "1 machine stands" : `${count} machines stand`;
		throw new SpillwayError("conflict", `${machines} on ${id} until ${new Date(Number(untilMs)).toISOString()} at the latest.`, {
			fields: [{ path: at < 0 ? "items" : `items.${at}`, message: `must keep ${count} of ${instanceTypes.join(", ")} until then` }],
			fix: "Wait for them to end, or cancel their jobs. To prevent new ones, add a rule that denies capacityTypes: [reserved].",
		});
	}
}

function arrayOf(column: typeof instance.siteId | typeof instance.instanceType | typeof instance.region): SQL<string[]> {
	return sql<string[]>`array_agg(distinct ${column})`;
}
