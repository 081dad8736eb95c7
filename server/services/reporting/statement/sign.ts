import { and, eq } from "drizzle-orm";
import type { z } from "zod";
import { signInput } from "#server/contract/inputs/statement.ts";
import { notify } from "#server/db/notify.ts";
import { statementSignature } from "#server/db/schema/statement.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { sha256Of } from "./hash.ts";
import { versionsOf } from "./stored.ts";

export type SignInput = z.input<typeof signInput>;

/**
 * Signs the newest version of a statement in a person's name. The person who closed it may sign too; the signature shows it.
 * Signing twice writes nothing more.
 * @throws SpillwayError `forbidden`; `not_found` while the month is not closed; `precondition_failed` when the newest version
 * is not the one that was read.
 */
export async function signStatement(ctx: ServiceContext, raw: SignInput): Promise<{ version: number; sha256: string; signedAt: Date }> {
	const { month, team, sha256 } = signInput.parse(raw);
	authorize(ctx, "statement:sign", team);
	const { actor } = ctx;
	if (actor.kind !== "person") throw new SpillwayError("forbidden", "Only a person can sign a statement.");
	return ctx.db.transaction(async (tx) => {
		const [newest] = await versionsOf(tx, month, team);
		if (!newest) throw new SpillwayError("not_found", `${month} is not closed yet.`, { fix: "Close it first." });
		if (newest.sha256 !== sha256 || sha256Of(newest.content) !== sha256) {
			throw new SpillwayError(
				"precondition_failed",
				`The newest version of this statement is ${newest.version}, which is not what you read.`,
				{
					fix: "Read the new version and sign that.",
				},
			);
		}
		const now = new Date(ctx.clock.nowMs());
		const [mine] = await tx
			.insert(statementSignature)
			.values({
				...{ id: newId("sig", now.getTime()), statementId: newest.id, sha256, signedAt: now },
				...{ accountId: actor.accountId, name: actor.name, role: actor.role },
			})
			.onConflictDoNothing()
			.returning({ signedAt: statementSignature.signedAt });
		if (mine) {
			await writeAudit(tx, ctx, { action: "statement.sign", subject: newest.id, after: { month, team, version: newest.version, sha256 } });
			await notify(tx, { changes: [{ topic: "statement", id: month, team: team === "" ? null : team }] });
			return { version: newest.version, sha256, signedAt: mine.signedAt };
		}
		const [earlier] = await tx
			.select({ signedAt: statementSignature.signedAt })
			.from(statementSignature)
			.where(and(eq(statementSignature.statementId, newest.id), eq(statementSignature.accountId, actor.accountId)));
		return { version: newest.version, sha256, signedAt: earlier?.signedAt ?? now };
	});
}
