import { count, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import { startBacktestInput } from "#server/contract/inputs/backtest.ts";
import { notify } from "#server/db/notify.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { knownFacts } from "#server/services/governance/policy/known-facts.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { replaceOwn } from "./replace.ts";
import { type BacktestView, viewOf } from "./view.ts";

/** Queued or running backtests, over all people; one runs at a time. */
const PENDING_MAX = 10;
/** Prevents two requests from both taking the last free place. */
const START_LOCK = "backtest:start";

/**
 * Requests a backtest of a draft against the published version over the last days; as a background job of the scheduler.
 * @throws SpillwayError `forbidden`; `invalid_input` with line and column when the draft has an error; `conflict` when too many are queued.
 */
export async function startBacktest(ctx: ServiceContext, raw: z.input<typeof startBacktestInput>): Promise<BacktestView> {
	authorize(ctx, "policy:edit", null);
	const { name, source, days, replace } = startBacktestInput.parse(raw);
	const active = await activePolicy(ctx.db, name);
	const { policy, problems } = parsePolicy(source, await knownFacts(ctx));
	if (!policy) {
		throw new SpillwayError("invalid_input", "The draft has errors.", {
			fields: problems.map((p) => ({ path: "source", message: p.message, line: p.line, column: p.column })),
			fix: "Fix them first. List them with: spillway policy lint FILE",
		});
	}
	const nowMs = ctx.clock.nowMs();
	return ctx.db.transaction(async (tx) => {
		await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${START_LOCK}))`);
		if (replace) await replaceOwn(tx, ctx, name);
		const [pending] = await tx
			.select({ n: count() })
			.from(backtest)
			.where(inArray(backtest.state, ["queued", "running"]));
		if ((pending?.n ?? 0) >= PENDING_MAX) {
			throw new SpillwayError("conflict", `${PENDING_MAX} backtests are already queued.`, {
				fix: "Try again when one has finished, or cancel one.",
			});
		}
		const [row] = await tx
			.insert(backtest)
			.values({
				id: newId("btst", nowMs),
				policyName: name,
				baseVersion: active.version,
				source,
				fromTime: new Date(nowMs - days * DAY_MS),
				toTime: new Date(nowMs),
				createdAt: new Date(nowMs),
				createdBy: actorName(ctx.actor),
				automatic: replace,
			})
			.returning();
		const made = defined(row, "the backtest that was written");
		// One for each pause in typing would bury the other entries. Like drafts, these change nothing.
		if (!replace) {
			await writeAudit(tx, ctx, { action: "backtest.start", subject: made.id, after: { policy: name, baseVersion: active.version, days } });
		}
		await notify(tx, { background: true });
		return viewOf(made);
	});
}
