import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import next from "next";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { readRemotes } from "#server/agent/read-remotes.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { createRequestHandler, methodOf, surfaceOf } from "#server/api/answer.ts";
import { putBaseBack, requireBuiltFor, takeBaseOff } from "#server/api/base-path.ts";
import { createEdge } from "#server/api/edge/guard.ts";
import { RateLimiter } from "#server/api/edge/rate-limiter.ts";
import { refuse } from "#server/api/refuse.ts";
import { handleScim } from "#server/api/scim/handler.ts";
import { openDoors } from "#server/auth/open-doors.ts";
import { TokenAuthenticator } from "#server/auth/tokens.ts";
import { emptyOutbox } from "#server/control-loop/notices.ts";
import { repeat } from "#server/control-loop/repeat.ts";
import { requireMigrated } from "#server/db/migrate.ts";
import { agentUrl, basePath, directDatabaseUrl, publicUrl, requireLoopbackDemo, requireOwnSecrets, tracesUrl } from "#server/env.ts";
import { watchDiskRoom } from "#server/kernel/disk-room.ts";
import { logLine, surviveLostOutput } from "#server/kernel/program-log.ts";
import { RcloneStores } from "#server/providers/stores/rclone-stores.ts";
import { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";
import { leastRightsReader } from "#server/services/capacity/site/least-rights.ts";
import { systemContext } from "#server/services/core/context.ts";
import { countProcess, httpSeconds } from "#server/services/core/process-metrics.ts";
import { setThreadPool } from "#server/services/core/threads/off-loop.ts";
import { WorkerPool } from "#server/services/core/threads/pool.ts";
import { keepQuotesReady } from "#server/services/decision/quote/decide-asked.ts";
import { clientAddress } from "#server/services/governance/audit/client-address.ts";
import { watchLeader } from "#server/services/overview/alert/watch-leader.ts";
import { runtime } from "#server/services/runtime.ts";
import { keepListening } from "#server/services/work/agent/listening.ts";
import { jobTracking } from "#server/services/work/metric/job-tracking.ts";
import { secretStore } from "#server/services/work/secret/store.ts";
import { AGENT_FILE, RUNTIME_FILES } from "./agent-files.ts";
import { configureProxy } from "./configure-proxy.ts";
import { noticeSettings } from "./notice-settings.ts";
import { showSetUpCode } from "./show-set-up-code.ts";
import { siteKinds } from "./site-kinds.ts";
import { unwrapCredentialKeys } from "./unwrap-credential-keys.ts";

/**
 * The web server. It handles REST and agent calls directly, at the speed of plain HTTP; Next handles pages and tRPC. One process,
 * one port, one pool of database connections.
 */
const EXIT_LIMIT_MS = 4_000;
/** A checkpoint of 64 GiB at 20 MB/s takes an hour. */
const UPLOAD_LIMIT_MS = 3_600_000;
const LEADER_WATCH_MS = 30_000;
const THREADS = 2;
const THREAD_LIMIT_MS = 20_000;
const HEADERS_LIMIT_MS = 15_000;
const root = path.resolve(import.meta.dirname, "../..");

surviveLostOutput();
configureProxy();
const shared = runtime();
shared.env = { ...shared.env, SPILLWAY_CREDENTIAL_KEYS: await unwrapCredentialKeys(shared.env) };
shared.siteTools = {
	kinds: siteKinds(shared.env),
	keys: new CredentialKeys({ home: shared.env.SPILLWAY_HOME, given: shared.env.SPILLWAY_CREDENTIAL_KEYS }),
	leastRights: leastRightsReader(path.join(root, "docs")),
};
if (tracesUrl(shared.env)) {
	const { makeTraceStarter } = await import("#server/tracing/start.ts");
	shared.startTrace = makeTraceStarter(shared.env.OTEL_TRACES_SAMPLER_ARG);
}
shared.storePort = new RcloneStores(rcloneOfHost);
const tokens = new TokenAuthenticator(shared.connection.db, { demo: shared.env.SPILLWAY_DEMO });
const RATE_LIMIT_FAILURES = 600;
const limiter = new RateLimiter(shared.env.SPILLWAY_RATE_LIMIT);
const failureLimiter = new RateLimiter(RATE_LIMIT_FAILURES);
const limits = { limiter, failureLimiter };
const rt = {
	...{ ...shared, ...limits, authenticate: (token: string, nowMs: number) => tokens.actorOf(token, nowMs) },
	openDoors: openDoors({ env: shared.env, db: shared.connection.db, clock: shared.clock }),
};
const scim = { ...rt, groupMap: rt.env.OIDC_GROUP_MAP, publicUrl: publicUrl(rt.env) };
setThreadPool(new WorkerPool(new URL("./web-thread.ts", import.meta.url), { size: THREADS, limitMs: THREAD_LIMIT_MS }));
requireOwnSecrets(rt.env);
requireLoopbackDemo(rt.env);
await requireMigrated(directDatabaseUrl(rt.env));
const { SPILLWAY_HOST: host, SPILLWAY_PORT: port, SPILLWAY_HOME: home } = rt.env;

const base = basePath(rt.env);
if (rt.env.NODE_ENV !== "development") requireBuiltFor(base, root);
const app = next({ dev: rt.env.NODE_ENV === "development", dir: root, hostname: host, port });
const agent = createAgentHandler({
	db: rt.connection.db,
	clock: rt.clock,
	secretKey: rt.env.SPILLWAY_SECRET,
	checkpointRoot: path.join(home, "checkpoints"),
	artifactRoot: path.join(home, "artifacts"),
	stores: { port: shared.storePort, secretKey: rt.env.SPILLWAY_SECRET },
	agentFile: AGENT_FILE,
	runtimeFiles: RUNTIME_FILES,
	log: (message, error) => rt.logError(message, error, "agent"),
	timing: rt.timing,
	identities: {
		of: (provider) => shared.siteTools?.kinds.find((kind) => kind.provider === provider)?.identity,
		controlUrl: () => agentUrl(rt.env),
	},
	secretStore: secretStore(rt.env),
	tracking: jobTracking(rt.env.SPILLWAY_SECRET, agentUrl(rt.env)),
	dataRemotes: () => readRemotes(rt.env.SPILLWAY_DATA_REMOTES),
});
await app.prepare();
const renderPage = app.getRequestHandler();
const edge = createEdge({
	...{ publicUrl: publicUrl(rt.env), host, moreHosts: [...rt.env.SPILLWAY_ALLOWED_HOSTS, new URL(agentUrl(rt.env)).hostname], limiter },
	...{ nowMs: () => rt.clock.nowMs(), addressOf: clientAddress },
});

const room = await watchDiskRoom({
	...{ folder: home, reserveBytes: rt.env.SPILLWAY_DISK_RESERVE_MIB * 1024 * 1024, signal: rt.shutdown.signal },
});
const page: typeof renderPage = (req, res) => renderPage(putBaseBack(req, base), res);
const answer = createRequestHandler({ ...{ rt, edge, room, agent, page }, scim: (req, res) => handleScim(scim, req, res) });

countProcess();
const notices = noticeSettings(rt.env);

/** Records the duration when the response has ended or the client has disconnected. */
function measure(req: IncomingMessage, res: ServerResponse): void {
	const end = httpSeconds.startTimer({ surface: surfaceOf(req.url ?? "/"), method: methodOf(req.method) });
	res.once("close", () => end({ code: `${Math.floor(res.statusCode / 100)}xx` }));
}

const server = createServer({ requestTimeout: UPLOAD_LIMIT_MS, headersTimeout: HEADERS_LIMIT_MS }, (req, res) => {
	takeBaseOff(req, base);
	measure(req, res);
	answer(req, res).catch((error: unknown) => {
		rt.logError("a request failed", error, "none");
		refuse(res, error);
	});
});
void repeat({
	...{ everyMs: LEADER_WATCH_MS, minGapMs: 1_000, signal: rt.shutdown.signal },
	run: async () => {
		const ctx = { db: rt.connection.db, clock: rt.clock, timing: rt.timing };
		if (await watchLeader(ctx)) await emptyOutbox(ctx, notices);
	},
	onError: (error) => rt.logError("could not watch the scheduler", error, "none"),
});
keepQuotesReady({ ...systemContext(rt.connection.db, rt.clock), timing: rt.timing }, rt.shutdown.signal);
server.keepAliveTimeout = 65_000;
server.listen(port, host, () => {
	logLine("info", "The web server listens", { url: `http://${host}:${port}` });
	showSetUpCode(rt).catch((error: unknown) => rt.logError("the set-up code could not be shown", error, "none"));
	void keepListening(rt.connection.db, rt.shutdown.signal, (error) =>
		rt.logError("could not record that agents were heard", error, "agent"),
	);
});
server.on("error", (error) => {
	logLine("error", `The web server cannot listen on ${host}:${port}: ${error.message}`);
	process.exit(1);
});

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
	process.on(signal, () => {
		if (stopping) return;
		stopping = true;
		// Open streams would prevent the server from closing.
		rt.shutdown.abort();
		server.close(() => {
			void rt.connection.end().finally(() => process.exit(0));
		});
		server.closeIdleConnections();
		setTimeout(() => process.exit(0), EXIT_LIMIT_MS).unref();
	});
}
