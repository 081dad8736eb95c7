import { and, eq, ne, type SQL } from "drizzle-orm";
import type { z } from "zod";
import { createViewInput, updateViewInput } from "#server/contract/inputs/view.ts";
import type { Tx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { savedView } from "#server/db/schema/saved-view.ts";
import { SAVED_VIEWS_MAX } from "#server/domain/job-list.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { accountIdOf, readViews, type SavedView } from "./list.ts";

/**
 * Saves a view for the caller, shared with a team of the caller or not.
 * @throws SpillwayError `forbidden` for another team; `invalid_input` for an unknown team; `conflict` for a used name and at the limit; ZodError
 */
export async function createView(ctx: ServiceContext, raw: z.input<typeof createViewInput>): Promise<SavedView> {
	teamScope(ctx, "job:read");
	const input = createViewInput.parse(raw);
	const accountId = accountIdOf(ctx);
	const nowMs = ctx.clock.nowMs();
	const id = newId("view", nowMs);
	return ctx.db.transaction(async (tx) => {
		await checkTeam(ctx, tx, input.team);
		await lockViews(tx, accountId);
		if ((await tx.$count(savedView, eq(savedView.accountId, accountId))) >= SAVED_VIEWS_MAX)
			throw new SpillwayError("conflict", `You have ${SAVED_VIEWS_MAX} saved views.`, { fix: "Delete one first." });
		await checkName(tx, input.name, eq(savedView.accountId, accountId));
		await tx.insert(savedView).values({ ...input, id, accountId, createdAt: new Date(nowMs) });
		await writeAudit(tx, ctx, { action: "view.create", subject: id, after: input });
		return readOne(ctx, tx, id);
	});
}

/**
 * Updates a view of the caller; omitted fields stay unchanged.
 * @throws SpillwayError as createView, also when the view stays shared with a team that the caller left; `not_found` for another person's
 * view
 */
export async function updateView(ctx: ServiceContext, raw: z.input<typeof updateViewInput>): Promise<SavedView> {
	teamScope(ctx, "job:read");
	const { id, ...changes } = updateViewInput.parse(raw);
	const accountId = accountIdOf(ctx);
	return ctx.db.transaction(async (tx) => {
		await lockViews(tx, accountId);
		const before = await readMine(ctx, tx, id);
		// Without a new team, the view keeps its current one.
		await checkTeam(ctx, tx, changes.team === undefined ? before.team : changes.team);
		if (changes.name !== undefined) await checkName(tx, changes.name, and(eq(savedView.accountId, accountId), ne(savedView.id, id)));
		const after = { name: before.name, query: before.query, team: before.team, ...changes };
		await tx.update(savedView).set(after).where(eq(savedView.id, id));
		const { name, query, team: sharedWith } = before;
		await writeAudit(tx, ctx, { action: "view.update", subject: id, before: { name, query, team: sharedWith }, after });
		return readOne(ctx, tx, id);
	});
}

/** @throws SpillwayError `forbidden`; `not_found`, also for another person's view */
export async function deleteView(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	teamScope(ctx, "job:read");
	return ctx.db.transaction(async (tx) => {
		await lockViews(tx, accountIdOf(ctx));
		const { name, query, team: sharedWith } = await readMine(ctx, tx, id);
		await tx.delete(savedView).where(eq(savedView.id, id));
		await writeAudit(tx, ctx, { action: "view.delete", subject: id, before: { name, query, team: sharedWith } });
		return { id };
	});
}

async function readMine(ctx: ServiceContext, tx: Tx, id: string): Promise<SavedView> {
	const [view] = await readViews(ctx, tx, and(eq(savedView.id, id), eq(savedView.accountId, accountIdOf(ctx))));
	if (!view) throw new SpillwayError("not_found", `You have no saved view ${id}.`);
	return view;
}

async function readOne(ctx: ServiceContext, tx: Tx, id: string): Promise<SavedView> {
	return defined((await readViews(ctx, tx, eq(savedView.id, id)))[0], "saved view");
}

/** Serializes changes per person, so that the limit and unique names are enforced. */
async function lockViews(tx: Tx, accountId: string): Promise<void> {
	await tx.select({ id: account.id }).from(account).where(eq(account.id, accountId)).for("no key update");
}

async function checkTeam(ctx: ServiceContext, tx: Tx, name: string | null): Promise<void> {
	if (name === null) return;
	authorize(ctx, "job:read", name);
	await requireTeams(tx, [name], "team");
}

async function checkName(tx: Tx, name: string, among: SQL | undefined): Promise<void> {
	if ((await tx.$count(savedView, and(eq(savedView.name, name), among))) === 0) return;
	throw new SpillwayError("conflict", `You already have a view "${name}".`, {
		fields: [{ path: "name", message: "used by another view of yours" }],
		fix: "Choose another name.",
	});
}
