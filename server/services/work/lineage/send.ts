import { eq, lt, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { jobLineage } from "#server/db/schema/job-lineage.ts";
import { endEvent, type LineageFacts, type LineageSettings, startEvent } from "#server/domain/lineage.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { OutgoingAllowance } from "#server/kernel/outgoing.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { sendWebhook } from "#server/services/notification/delivery/send-webhook.ts";
import { loadLineageFacts } from "./facts.ts";

export interface LineageReceiver extends LineageSettings {
	/** Full URL to which events are posted. */
	url: string;
	apiKey: string | null;
	/** Hosts inside the network that may be contacted. */
	allowance: OutgoingAllowance;
	timeoutMs: number;
}

/** Jobs per pass; the others follow in the next one. */
const JOBS_PER_PASS = 100;
/** The end of a job is sent after this long even if not all its time is charged. */
const CHARGED_WITHIN_MS = HOUR_MS;
/** How long an event is retried, from the end of its job. */
const SENT_WITHIN_MS = DAY_MS;

/**
 * Sends the OpenLineage events that are due: START once a job's command runs, and its end when all its time is charged, or an hour
 * later. An event that was accepted just before a crash is sent again, with the same run and type.
 * @returns the number of events sent
 * @throws Error when the receiver does not accept an event; it is sent again by a later call, until a day after the job's end
 */
export async function sendLineage({ db, clock }: { db: Db; clock: Clock }, receiver: LineageReceiver): Promise<number> {
	const nowMs = clock.nowMs();
	const due = await findDue(db, nowMs);
	let sent = 0;
	for (const facts of await loadLineageFacts(db, [...due.keys()]))
		sent += await sendOf(db, facts, due.get(facts.id) === true, { receiver, nowMs });
	await db.delete(jobLineage).where(lt(jobLineage.endSentAt, new Date(nowMs - 2 * SENT_WITHIN_MS)));
	return sent;
}

/** Started jobs with an event that was not accepted yet, by id; true when START was accepted. */
async function findDue(db: Db, nowMs: number): Promise<Map<string, boolean>> {
	const [chargedBy, since] = [nowMs - CHARGED_WITHIN_MS, nowMs - SENT_WITHIN_MS].map((ms) => new Date(ms).toISOString());
	const rows = await db.execute<{ id: string; started: boolean }>(sql`
		select id, started from (
			select job.id, l.job_id is not null as started from job left join job_lineage l on l.job_id = job.id
			where job.state in ('queued', 'held', 'admitted', 'running') and job.started_at is not null and not job.synthetic and l.job_id is null
			union all
			select job.id, l.job_id is not null from job left join job_lineage l on l.job_id = job.id
			where job.finished_at >= ${since}::timestamptz and job.started_at is not null and not job.synthetic and l.end_sent_at is null
				and (l.job_id is null or job.finished_at < ${chargedBy}::timestamptz or (
					not exists (select 1 from instance i where i.job_id = job.id and (i.state <> 'terminated'
						or (i.billed_from is not null and i.metered_until is distinct from i.billed_until)))
					and not exists (select 1 from allocation a join attempt t on t.id = a.attempt_id
						where t.job_id = job.id and a.metered_until is distinct from a.ended_at)))
		) due order by id limit ${JOBS_PER_PASS}`);
	return new Map(rows.map(({ id, started }) => [id, started]));
}

async function sendOf(
	db: Db,
	facts: LineageFacts,
	isStarted: boolean,
	{ receiver, nowMs }: { receiver: LineageReceiver; nowMs: number },
): Promise<number> {
	const at = new Date(nowMs);
	if (!isStarted) {
		await post(receiver, startEvent(facts, receiver));
		await db.insert(jobLineage).values({ jobId: facts.id, startSentAt: at }).onConflictDoNothing();
	}
	const isDue = facts.finishedAtMs !== null && (facts.isCharged || facts.finishedAtMs < nowMs - CHARGED_WITHIN_MS);
	const end = isDue ? endEvent(facts, receiver) : null;
	if (end !== null) {
		await post(receiver, end);
		await db.update(jobLineage).set({ endSentAt: at }).where(eq(jobLineage.jobId, facts.id));
	}
	return (isStarted ? 0 : 1) + (end === null ? 0 : 1);
}

function post({ url, apiKey, allowance, timeoutMs }: LineageReceiver, event: object): Promise<void> {
	const headers: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
	return sendWebhook({ url, body: JSON.stringify(event), headers, allowance, timeoutMs });
}
