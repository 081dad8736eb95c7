import { count, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import { startStudyInput } from "#server/contract/inputs/plan.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { OPEN_TRACES } from "#server/domain/open-traces.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { requireUpload } from "#server/services/core/upload.ts";
import { type StudyView, viewOf } from "./view.ts";

/** Studies that are queued or running; one runs at a time. */
const PENDING_MAX = 5;
/** Prevents two requests from both taking the last free place. */
const START_LOCK = "plan-study:start";

/**
 * Queues a study of Spillway's records, of an uploaded trace or of an open one; a background job of the scheduler.
 * @throws SpillwayError `forbidden`; `invalid_input`; `not_found` for an unknown upload; `conflict` when too many are queued.
 */
export async function startStudy(ctx: ServiceContext, raw: z.input<typeof startStudyInput>): Promise<StudyView> {
	authorize(ctx, "plan:run", null);
	const input = startStudyInput.parse(raw);
	const { source } = input;
	const name = nameOf(input);
	const settings = settingsOf(input);
	const uploaded = source === "upload" && input.upload !== undefined ? await requireUpload(ctx, "plan:run", input.upload) : null;
	const nowMs = ctx.clock.nowMs();
	return ctx.db.transaction(async (tx) => {
		await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${START_LOCK}))`);
		const [pending] = await tx
			.select({ n: count() })
			.from(planStudy)
			.where(inArray(planStudy.state, ["queued", "running"]));
		if ((pending?.n ?? 0) >= PENDING_MAX)
			throw new SpillwayError("conflict", `${PENDING_MAX} plan studies are already queued.`, {
				fix: "Try again when one has finished, or cancel one.",
			});
		const [row] = await tx
			.insert(planStudy)
			.values({
				...{ id: newId("plan", nowMs), source, name, settings, result: null },
				...{ trace: (source === "upload" && input.trace) || null, uploadId: uploaded?.id ?? null },
				...{ createdAt: new Date(nowMs), createdBy: actorName(ctx.actor) },
			})
			.returning();
		const made = defined(row, "the study that was written");
		await writeAudit(tx, ctx, { action: "plan.start", subject: made.id, after: { source, name, ...settings } });
		return viewOf(made);
	});
}

type StartInput = z.output<typeof startStudyInput>;

function nameOf(input: StartInput): string {
	if (input.source === "upload") return input.name;
	if (input.source === "records") return `Own records, ${plural(input.days, "day")}`;
	return OPEN_TRACES.find(({ name }) => name === input.trace)?.title ?? input.trace;
}

function settingsOf(input: StartInput): Record<string, unknown> {
	const { discountPercent } = input;
	const gpus = input.source !== "records" && input.gpus !== undefined ? { gpus: input.gpus } : {};
	if (input.source === "open") return { discountPercent, openTrace: input.trace, ...gpus };
	return { days: input.days, discountPercent, ...gpus };
}
