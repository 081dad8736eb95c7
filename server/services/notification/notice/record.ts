import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { noticeWords, pageOfWork, TOPIC_OF_EVENT, type WorkEvent, type WorkFacts } from "#server/domain/notice.ts";
import { newId } from "#server/kernel/ids.ts";
import { rolesWith } from "#server/services/core/authorize.ts";
import { isPermitted } from "#server/services/core/custom-role.ts";
import { queueMessage } from "../delivery/queue.ts";

export interface NewNotice {
	event: WorkEvent;
	work: WorkFacts;
	/** The actor that submitted it; only accounts have an address. */
	submittedBy: string;
	/** Events named in the job's or pipeline's file; absent for those of the submitter's settings. */
	notify?: readonly WorkEvent[] | undefined;
	/** Name of the pipeline or sweep that it is or belongs to. */
	pipeline: string | null;
	/** Distinguishes events that can occur several times for the same work. */
	occurrence?: string;
	nowMs: number;
}

/**
 * Records an event of a job or pipeline in the transaction in which it happens: for its submitter, when they want to be notified and
 * may still see the team's jobs, and for channels of its topic. A repeated event adds nothing.
 */
export async function recordNotice(tx: Tx, notice: NewNotice): Promise<void> {
	const { event, work, nowMs, occurrence } = notice;
	const about = `work:${work.id}:${event}${occurrence === undefined ? "" : `:${occurrence}`}`;
	const words = noticeWords(event, work);
	const link = pageOfWork(work);
	if (event !== "needs_approval")
		await queueMessage(tx, {
			...{ topic: TOPIC_OF_EVENT[event], team: work.team, pipeline: notice.pipeline, about, nowMs },
			message: { ...words, link, facts: { rule: event, kind: work.kind, id: work.id, name: work.name, team: work.team } },
		});
	const { submittedBy, notify } = notice;
	if (!submittedBy.startsWith("account:") || notify?.includes(event) === false) return;
	const wants = notify === undefined ? sql`${event} = any(notify_events)` : sql`true`;
	await tx.execute(sql`
		insert into notice (id, account_id, about, event, title, text, link, created_at)
		select ${newId("ntc", nowMs)}, id, ${about}, ${event}, ${words.title}, ${words.text}, ${link},
			${new Date(nowMs).toISOString()}::timestamptz
		from account where id = ${submittedBy.slice("account:".length)} and disabled_at is null and not service and ${isPermitted("job:read")} and ${wants}
			and (role::text = any(${sql.param(rolesWith("job:read"))}::text[]) or ${work.team} = any(teams))
		on conflict do nothing`);
}
