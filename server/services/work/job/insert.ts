import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { CHANGE_CHANNEL, WAKE_CHANNEL } from "#server/db/notify.ts";
import type { Change } from "#server/domain/change.ts";
import type { ImportRecord } from "#server/domain/imports/record.ts";
import { gpusOf, type JobSpec } from "#server/domain/job.ts";
import { reason } from "#server/domain/reasons.ts";
import type { TraceStart } from "#server/domain/trace.ts";
import { newId } from "#server/kernel/ids.ts";
import { type Actor, actorName, viaOf } from "#server/services/core/context.ts";
import { withNamedModels } from "./named-models.ts";

export interface Submission {
	spec: JobSpec;
	actor: Actor;
	requestId: string | null;
	source: string | null;
	/** The trace it belongs to; absent when it is not traced. */
	trace?: TraceStart | null;
	/** The account that the scheduler submits it for; absent for the actor's own. */
	by?: string;
	/** The script it was read from; the same object for all jobs of one script, which is stored once. */
	imported?: ImportRecord | null;
}

/**
 * Writes validated submissions with their event and audit lines, and wakes the control loop. Uses one statement, so all or none are
 * written, in one round trip and with two parameters however many jobs there are. Returns their ids, in order.
 */
export async function insertJobs(db: DbOrTx, submissions: readonly Submission[], nowMs: number): Promise<string[]> {
	const ids = submissions.map(() => newId("job", nowMs)).sort();
	const at = new Date(nowMs).toISOString();
	const records = [...new Set(submissions.map(({ imported }) => imported ?? null))].filter((record) => record !== null);
	const importIds = new Map(records.map((record) => [record, newId("imp", nowMs)]));
	const imports = JSON.stringify(records.map((record) => ({ id: importIds.get(record), ...record })));
	const importIdOf = ({ imported }: Submission): string | null => (imported ? (importIds.get(imported) ?? null) : null);
	const rows = JSON.stringify(submissions.map((s, i) => ({ ...rowOf(ids[i] ?? "", s), importId: importIdOf(s) })));
	// One notification for browsers, however many jobs: they reload the list.
	const change: Change = { topic: "job", id: ids.length === 1 ? (ids[0] ?? null) : null, team: null };
	await db.execute(sql`
		with r as (
			select * from jsonb_to_recordset(${rows}::jsonb) as r(
				id text, name text, team text, project text, class workload_class, priority smallint, gpus integer, spec jsonb,
				"by" text, deadline timestamptz, "requestId" text, via text, source text, "importId" text,
				trace jsonb)
		), i as (
			insert into job_import (id, kind, findings, left_out, is_as_read, read_at)
			select id, kind, findings, "leftOut", "isAsRead", ${at}::timestamptz
			from jsonb_to_recordset(${imports}::jsonb) as i(id text, kind text, findings jsonb, "leftOut" integer, "isAsRead" boolean)
		), j as (
			insert into job (id, import_id, name, team, project, class, priority, gpus, spec, state, reason, submitted_by, submitted_at,
				pending_since, deadline_at)
			select id, "importId", name, team, project, class, priority, gpus, spec, 'queued', ${JSON.stringify(reason("submitted"))}::jsonb, "by",
				${at}::timestamptz, ${at}::timestamptz, deadline
			from r
		), e as (
			insert into event (at, kind, job_id, team) select ${at}::timestamptz, 'job_submitted', id, team from r
		), a as (
			insert into audit (at, actor, action, subject, after, request_id, via, source)
			select ${at}::timestamptz, "by", 'job.submit', id, jsonb_build_object('name', name, 'team', team), "requestId", via, source from r
		), t as (
			insert into job_trace (job_id, trace_id, parent_span_id, trace_state, received_at)
			select id, trace->>'traceId', trace->>'parentSpanId', trace->>'traceState', (trace->>'receivedAt')::timestamptz from r
			where jsonb_typeof(trace) = 'object'
		)
		select pg_notify(${WAKE_CHANNEL}, ''), pg_notify(${CHANGE_CHANNEL}, ${JSON.stringify(change)})`);
	return ids;
}

function rowOf(id: string, { spec, actor, by, requestId, source, trace }: Submission): Record<string, unknown> {
	return {
		id,
		name: spec.name,
		team: spec.team,
		project: spec.project ?? "",
		class: spec.class,
		priority: spec.priority,
		gpus: gpusOf(spec),
		spec: withNamedModels(spec),
		by: by ?? actorName(actor),
		deadline: spec.deadlineMs === null ? null : new Date(spec.deadlineMs).toISOString(),
		requestId,
		via: viaOf(actor),
		source,
		trace: trace ? { ...trace, receivedAt: new Date(trace.receivedAtMs).toISOString() } : null,
	};
}
