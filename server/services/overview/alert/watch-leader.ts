import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { readHeartbeat } from "#server/services/core/heartbeat.ts";
import { openAlert } from "#server/services/notification/alert/open.ts";

/** Failover takes seconds, and an upgrade of the scheduler less than this. */
const SILENCE_MS = 2 * MINUTE_MS;

/**
 * Opens the alert that no scheduler leads, for web servers: the leader evaluates all other alerts, and closes this one. An
 * installation that never had a leader is still being set up. Returns whether no one leads.
 */
export async function watchLeader({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
	const heartbeat = await readHeartbeat(db);
	const nowMs = clock.nowMs();
	if (heartbeat === null || nowMs - heartbeat.atMs < SILENCE_MS) return false;
	const facts = { instance: heartbeat.instance, sinceMs: heartbeat.atMs };
	await db.transaction((tx) => openAlert(tx, { rule: "no_leader", subject: "scheduler", team: null, facts }, nowMs));
	return true;
}
