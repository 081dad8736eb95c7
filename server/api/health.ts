import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sql } from "drizzle-orm";
import type { DiskRoom } from "#server/kernel/disk-room.ts";
import { readHeartbeat } from "#server/services/core/heartbeat.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { metricsText } from "./metrics.ts";
import { sendJson } from "./rest/handler.ts";

const PATHS = ["/healthz", "/readyz", "/metrics"];
/** The leader writes a heartbeat every second. */
const HEARTBEAT_LATE_MS = 10_000;

/** Both sides are hashed, so that the comparison takes constant time. */
export function canScrape(token: string | undefined, authorization: string | undefined): boolean {
	if (token === undefined) return true;
	const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
	return timingSafeEqual(hash(`Bearer ${token}`), hash(authorization ?? ""));
}

export function isHealthPath(url: string): boolean {
	return PATHS.includes(url.split("?")[0] ?? "");
}

/**
 * /healthz: the process is alive, and whether it rejects changes. /readyz: it can serve, and its identity. Both work
 * without sign-in and contain no names. /metrics: Prometheus, with SPILLWAY_METRICS_TOKEN if set.
 */
export async function handleHealth(rt: Runtime & { room?: DiskRoom }, req: IncomingMessage, res: ServerResponse): Promise<void> {
	const path = (req.url ?? "").split("?")[0];
	const full = rt.room?.problem() ?? null;
	if (path === "/healthz") return sendJson(res, 200, full === null ? { status: "ok" } : { status: "degraded", why: full });
	try {
		if (path === "/metrics") {
			if (!canScrape(rt.env.SPILLWAY_METRICS_TOKEN, req.headers.authorization)) {
				res.writeHead(401, { "www-authenticate": "Bearer" });
				return void res.end();
			}
			const text = await metricsText(rt);
			res.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
			res.end(text);
			return;
		}
		await rt.connection.db.execute(sql`select 1 from job limit 1`);
		const beat = await readHeartbeat(rt.connection.db);
		const ageMs = beat ? rt.clock.nowMs() - beat.atMs : null;
		const scheduler = ageMs === null ? "never seen" : ageMs > HEARTBEAT_LATE_MS ? "late" : "leading";
		sendJson(res, 200, { status: "ready", instance: rt.env.SPILLWAY_INSTANCE, scheduler, schedulerHeartbeatAgeMs: ageMs });
	} catch {
		sendJson(res, 503, { status: "not ready", instance: rt.env.SPILLWAY_INSTANCE, why: "the database does not answer" });
	}
}
