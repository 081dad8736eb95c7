import { z } from "zod";
import { monthSchema, statementTeam } from "#server/contract/inputs/statement.ts";
import { notify } from "#server/db/notify.ts";
import { statementNote } from "#server/db/schema/statement.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";

export const noteInput = z.strictObject({
	month: monthSchema,
	team: statementTeam,
	/** The item explained. Notes on budgets belong to the company and appear on every statement that shows the budget. */
	subject: z.string().regex(/^(budget|bill):.{1,120}$/, "must be budget:<id> or bill:<provider>"),
	text: z.string().trim().min(1).max(2_000),
});
export type NoteInput = z.input<typeof noteInput>;

/**
 * Explains a variance. The newest note on a subject applies. A closed statement keeps the note that it was closed with; the
 * next version uses the newest.
 * @throws SpillwayError `forbidden`.
 */
export async function noteVariance(ctx: ServiceContext, raw: NoteInput): Promise<{ id: string }> {
	const input = noteInput.parse(raw);
	const team = input.subject.startsWith("budget:") ? "" : input.team;
	authorize(ctx, "statement:close", team);
	return ctx.db.transaction(async (tx) => {
		const nowMs = ctx.clock.nowMs();
		const row = { ...input, team, id: newId("note", nowMs), author: actorName(ctx.actor), writtenAt: new Date(nowMs) };
		await tx.insert(statementNote).values(row);
		await writeAudit(tx, ctx, {
			action: "statement.note",
			subject: row.id,
			after: { month: row.month, team, subject: row.subject, text: row.text },
		});
		await notify(tx, { changes: [{ topic: "statement", id: row.month, team: null }] });
		return { id: row.id };
	});
}
