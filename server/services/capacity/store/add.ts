import { and, eq, isNull, sql } from "drizzle-orm";
import { addStoreInput } from "#server/contract/inputs/store.ts";
import type { Tx } from "#server/db/client.ts";
import { store } from "#server/db/schema/store.ts";
import { STORE_SECRETS, type StoreKind, type StoreSecret } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { priceText, writeStorePrice } from "#server/services/pricing/store/write-price.ts";
import { openStore, type StoreContext, sealStoreSecret } from "./box.ts";
import { runCheck } from "./check.ts";
import { type StoreView, storeView } from "./view.ts";

/**
 * Adds a store to a team after checking it. @throws SpillwayError `forbidden`; `invalid_input` naming its fields; `conflict` for a name
 * that the team uses; `precondition_failed` when the check fails
 */
export async function addStore(ctx: StoreContext, raw: unknown): Promise<StoreView> {
	authorize(ctx, "store:manage", null);
	const { check, secret: rawSecret, usdPerGiBMonth, usdPerGiBEgress, ...input } = addStoreInput.parse(raw);
	const secret = parseStoreSecret(input.config.kind, rawSecret ?? {});
	await ctx.db.transaction((tx) => requireTeams(tx, [input.team], "team"));
	const id = newId("sto", ctx.clock.nowMs());
	const sealedSecret = sealStoreSecret(ctx.stores.secretKey, id, secret);
	const now = new Date(ctx.clock.nowMs());
	if (check) {
		const { problem } = await runCheck(ctx.stores, openStore(ctx.stores, { id, config: input.config, sealedSecret }));
		if (problem !== null)
			throw new SpillwayError("precondition_failed", `The store failed its check. ${problem}`, {
				fix: "Correct its settings, or its rights, and add it again.",
			});
	}
	return ctx.db.transaction(async (tx) => {
		await requireTeams(tx, [input.team], "team");
		await lockStores(tx, input.team);
		if (input.isDefault) await unsetDefault(tx, input.team);
		const [row] = await tx
			.insert(store)
			.values({ id, sealedSecret, ...input, createdAt: now, checkedAt: check ? now : null })
			.onConflictDoNothing()
			.returning();
		if (!row)
			throw new SpillwayError("conflict", `Team ${input.team} has a store ${JSON.stringify(input.name)}.`, {
				fields: [{ path: "name", message: "is taken" }],
			});
		const micro = (usd: number | undefined) => (usd === undefined ? null : BigInt(Math.round(usd * 1e6)));
		const price = { microUsdPerGiBMonth: micro(usdPerGiBMonth), microUsdPerGiBEgress: micro(usdPerGiBEgress) };
		const isPriced = usdPerGiBMonth !== undefined || usdPerGiBEgress !== undefined;
		const written = isPriced ? await writeStorePrice(tx, id, price, ctx.clock) : undefined;
		await writeAudit(tx, ctx, {
			...{ action: "store.add", subject: id },
			after: { team: row.team, name: row.name, config: row.config, ...(isPriced && { price: priceText(price) }) },
		});
		return storeView(row, written);
	});
}

/** @throws SpillwayError `invalid_input` with each field that is missing or wrong, and never its value */
export function parseStoreSecret<K extends StoreKind>(kind: K, raw: unknown): StoreSecret<K> {
	const secret = STORE_SECRETS[kind].safeParse(raw);
	if (secret.success) return secret.data as StoreSecret<K>;
	throw new SpillwayError("invalid_input", "The store's credentials are incomplete.", {
		fields: secret.error.issues.map((issue) => ({ path: ["secret", ...issue.path].join("."), message: issue.message })),
	});
}

/** Serializes changes of a team's stores: two that each become the default would deadlock. Take it before locking any row of a store. */
export async function lockStores(tx: Tx, team: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`stores:${team}`}, 0))`);
}

/** The team uses the embedded store until another one becomes its default. */
export async function unsetDefault(tx: Tx, name: string): Promise<void> {
	await tx
		.update(store)
		.set({ isDefault: false })
		.where(and(eq(store.team, name), isNull(store.removedAt)));
}
