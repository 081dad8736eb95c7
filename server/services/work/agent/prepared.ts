import { and, eq, isNotNull, isNull } from "drizzle-orm";
import type { PreparedReport, PreparedRequest, PrepareOrder } from "#server/agent/protocol.ts";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import { type DataRemotes, remotesFor } from "#server/domain/data-remotes.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import { readDataSets } from "#server/services/capacity/data-set/read-lists.ts";
import { checkIdentity } from "./check-identity.ts";
import type { AgentContext } from "./context.ts";
import { isSecretValid, wrongSecret } from "./enroll.ts";

/** What a machine without a job still has to fetch; null: nothing. Data is read from the copy in its region, if there is one. */
export async function orderPreparation(ctx: AgentContext, row: typeof instance.$inferSelect): Promise<PrepareOrder | null> {
	const pending = (row.preparation ?? []).filter(({ state }) => state === "pending");
	if (pending.length === 0) return null;
	const ofKind = (kind: PreparedItem["kind"]) => pending.filter((item) => item.kind === kind);
	const data = ofKind("data");
	const sets = data.length > 0 ? await readDataSets(ctx.db) : [];
	const place = `${row.provider}:${row.region}`;
	const near = new Map(sets.map((set) => [set.uri, set.copies.find(({ at }) => at === place)?.uri]));
	const remotes = data.length > 0 ? ((await ctx.dataRemotes?.()) ?? {}) : {};
	const order: PrepareOrder = { images: ofKind("image").map(({ name }) => name), data: [] };
	const skipped: PreparedReport[] = [];
	for (const { name: uri, sizeGiB } of data) {
		const from = near.get(uri) ?? uri;
		const problem = credentialProblem(from, remotes);
		if (problem === null) order.data.push({ uri, from, sizeGiB });
		else skipped.push({ kind: "data", name: uri, bytes: null, digest: null, problem });
	}
	if (skipped.length > 0) await update(ctx, row.id, skipped, "skipped");
	return order;
}

/** Credentials of a data remote are sent only for a job that names its data. */
function credentialProblem(uri: string, remotes: DataRemotes): string | null {
	const [name] = Object.keys(remotesFor([{ uri }], remotes));
	return name === undefined ? null : `it needs the data remote "${name}": its credentials are sent only to a job`;
}

/**
 * Records what a machine without a job has fetched. Reports about anything else, and late ones, change nothing.
 * @throws SpillwayError `unauthenticated` and `unavailable` as awaitJob does
 */
export async function recordPrepared(ctx: AgentContext, { items, ...machine }: PreparedRequest): Promise<void> {
	if (!isSecretValid(ctx, machine)) throw wrongSecret();
	await checkIdentity(ctx, machine);
	await update(ctx, machine.instanceId, items, "failed");
}

async function update(
	ctx: Pick<AgentContext, "db">,
	instanceId: string,
	reports: readonly PreparedReport[],
	problemState: "failed" | "skipped",
): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const isWaiting = and(eq(instance.id, instanceId), isNull(instance.attemptId), isNotNull(instance.preparation));
		const [row] = await tx.select({ preparation: instance.preparation }).from(instance).where(isWaiting).for("update");
		if (!row?.preparation) return;
		const preparation = row.preparation.map((item): PreparedItem => {
			const report = item.state === "pending" ? reports.find(({ kind, name }) => kind === item.kind && name === item.name) : undefined;
			if (!report) return item;
			const { bytes, digest, problem } = report;
			return { ...item, bytes, digest, problem, state: problem === null ? "ready" : problemState };
		});
		await tx.update(instance).set({ preparation }).where(eq(instance.id, instanceId));
		await notify(tx, { changes: [{ topic: "instance", id: instanceId, team: null }] });
	});
}
