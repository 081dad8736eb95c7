import type { DbOrTx } from "#server/db/client.ts";
import { type EventKind, event } from "#server/db/schema/event.ts";
import type { Reason } from "#server/domain/reasons.ts";

export interface NewEvent {
	kind: EventKind;
	atMs: number;
	jobId?: string;
	instanceId?: string;
	siteId?: string;
	team?: string;
	reason?: Reason | null;
}

/** Adds lines to the feed of recent events. */
export async function recordEvents(tx: DbOrTx, events: readonly NewEvent[]): Promise<void> {
	if (events.length === 0) return;
	await tx.insert(event).values(
		events.map((e) => ({
			at: new Date(e.atMs),
			kind: e.kind,
			jobId: e.jobId ?? null,
			instanceId: e.instanceId ?? null,
			siteId: e.siteId ?? null,
			team: e.team ?? null,
			reason: e.reason ?? null,
		})),
	);
}
