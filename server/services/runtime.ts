import { inspect } from "node:util";
import { type Connection, connect } from "#server/db/client.ts";
import type { StartTrace } from "#server/domain/trace.ts";
import { type Env, env } from "#server/env.ts";
import { type Clock, systemClock } from "#server/kernel/clock.ts";
import { logLine } from "#server/kernel/program-log.ts";
import type { StorePort } from "#server/providers/store-port.ts";
import type { SiteTools } from "#server/services/capacity/site/tools.ts";
import { type Timing, timingSchema } from "#server/services/core/timing.ts";
import { ChangeFeed } from "#server/services/notification/changes/feed.ts";

/** Shared by all requests of this process. */
export interface Runtime {
	env: Env;
	connection: Connection;
	clock: Clock;
	timing: Timing;
	changes: ChangeFeed;
	/** Set by the process that can open sites (server/bin/web.ts), because Next does not bundle the drivers' SDKs. */
	siteTools: SiteTools | null;
	/** Decides whether a submission is traced (server/tracing); null when tracing is off. */
	startTrace: StartTrace | null;
	/** Accesses team stores. Set by the same process, because it needs rclone. */
	storePort: StorePort | null;
	/** Aborted when the process shuts down, which ends open streams. */
	shutdown: AbortController;
	/** Logs one JSON line to stderr with the request id. Includes the error's causes, where database drivers put the reason. */
	logError(message: string, error: unknown, requestId: string): void;
}

// Next bundles pages and route handlers separately, so module state would exist more than once. globalThis is shared.
const shared = globalThis as unknown as { __spillwayRuntime?: Runtime };

/** Created on first use, once per process. */
export function runtime(): Runtime {
	shared.__spillwayRuntime ??= create();
	return shared.__spillwayRuntime;
}

function create(): Runtime {
	const settings = env();
	const connection = connect(settings.DATABASE_URL, { directUrl: settings.DATABASE_DIRECT_URL, max: 12, applicationName: "spillway-web" });
	const shutdown = new AbortController();
	const changes = new ChangeFeed(connection.sql, shutdown.signal, systemClock);
	// Runs before the first page is rendered. Subscribers retry until the database responds.
	changes.open().catch(() => {});
	return {
		env: settings,
		connection,
		clock: systemClock,
		timing: timingSchema.parse(settings.SPILLWAY_TIMING),
		changes,
		siteTools: null,
		startTrace: null,
		storePort: null,
		shutdown,
		logError: (message, error, requestId) => {
			logLine("error", message, { requestId, error: inspect(error) });
		},
	};
}
